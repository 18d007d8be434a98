"""Run shared test files on MicroPython: `micropython -X heapsize=192k tests/micropython/run.py FILE...`.

Exit code 1 when a test fails or when a file holds none. The last line is `N passed, N failed`.
"""

import gc
import sys

here = __file__.rsplit("/", 1)[0] if "/" in __file__ else "."
root = here + "/../.."
sys.path[:0] = [here, root + "/protocol", root + "/firmware", root]

import unittest  # noqa: E402  (the stand-in beside this file)

passed = failed = 0
for path in sys.argv[1:]:
    folder, _, file = path.rpartition("/")
    sys.path.insert(0, folder or ".")
    module = __import__(file.split(".")[0])
    sys.path.pop(0)
    gc.collect()
    good, bad = unittest.run(module)
    if good + bad == 0:
        print("no tests in", path)
        bad = 1
    passed += good
    failed += bad
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
