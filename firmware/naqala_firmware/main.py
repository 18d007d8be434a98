"""The first file the controller runs, as `/main.py`: picks the firmware, counts the start, and hands over.

It is small and rarely changes, because nothing stands behind it. On the controller's flash:

    /naqala-<hash>/   a firmware, whole; the new one lies beside the old
    /current          the folder to run, and after it the one before: written elsewhere and renamed, so one or the other
    /boots            starts of this firmware that have not proved themselves
    /stay             the host wants the prompt: do not start this once
    /crash            the last words of a start that failed
    /naqala.json      the config, which outlives every firmware

Three starts in a row that do not prove themselves: the firmware before takes over. If there is none, safe mode: no
reader, no watchdog, no Wi-Fi, only a word over USB. Ctrl-C works until the firmware's link starts.
"""

import os
import sys

TRIES = 3
PAUSE_MS = 500  # for Ctrl-C at a start, and between two that fail
LAST_WORDS = 400


def choose(folders: list[str], boots: int) -> tuple[list[str], int, bool]:
    """The folders to go on with, the number to write down for this start, and whether to be careful."""
    if boots < TRIES:
        return folders, boots + 1, False
    if len(folders) > 1:
        return folders[1:], 1, False
    return folders, 0, True  # careful this once; the next power-up tries again


def read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def write(path: str, text: str) -> None:
    """All or nothing: the file has its old text or the new one, whenever the power goes."""
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)


def begin(root: str = "/") -> tuple[str, bool]:
    """Write this start down; the folder to run and whether to be careful. The folder is "" when there is none."""
    folders = read(root + "current").split()
    boots = read(root + "boots").strip()
    chosen, count, careful = choose(folders, int(boots) if boots.isdigit() else 0)
    if chosen != folders:
        write(root + "current", "\n".join(chosen) + "\n")
    write(root + "boots", "%d\n" % count)
    return (chosen[0] if chosen else ""), careful


def run(root: str = "/") -> None:
    import time

    import machine

    if read(root + "stay"):
        os.remove(root + "stay")
        print("Naqala waits at the prompt; reset to start it.")
        return
    folder, careful = begin(root)
    if not folder:
        print("No Naqala firmware here; `naqala flash` puts it on.")
        return
    time.sleep_ms(PAUSE_MS)
    sys.path.insert(0, root + folder)
    try:
        from naqala_firmware import start

        start.run(root, folder, careful)
        write(root + "stay", "1")  # it ends only when the host asks for the prompt
    except KeyboardInterrupt:
        write(root + "stay", "1")  # the watchdog cannot be stopped: the prompt is safe only after a reset
    except Exception as error:
        import io

        words = io.StringIO()
        sys.print_exception(error, words)  # type: ignore[attr-defined]
        print(words.getvalue())
        write(root + "crash", words.getvalue()[-LAST_WORDS:])
        if careful:
            return  # even safe mode failed: the prompt is all that is left
        time.sleep_ms(PAUSE_MS)
    machine.reset()


if __name__ == "__main__":
    run()
