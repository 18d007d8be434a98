"""The web server: pages and taps of a WSGI app in a few threads, streams without any thread, http and https side by side.

It knows nothing of tables: the app's answer says when a stream takes over (`feeds.Feed`). See README.md for why it is built so.
"""
