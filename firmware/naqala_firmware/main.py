"""The first file the controller runs, as `/main.py`: picks the firmware, counts what failed, and hands over.

It is small and rarely changes, because nothing stands behind it. On the controller's flash:

    /naqala-<hash>/   a firmware, whole; the new one lies beside the old
    /current          the folder to run, and after it the one before: written elsewhere and renamed, so one or the other
    /boots            starts of this firmware in a row that failed, and `running` while one is under way
    /stay             the host wants the prompt: do not start this once
    /crash            the last words of a start that failed
    /naqala.json      the config, which outlives every firmware
    /clock            the moment of the last flash, for a clock without a battery (start.py)
    /broker.der       the broker's authority, when MQTT goes over TLS

A start has failed when it ended in an exception or when the watchdog ended it; a power cut, Ctrl-C, a config that is
refused are no failures. After three in a row the firmware before takes over. If there is none, safe mode: no reader, no
watchdog, no Wi-Fi, only a word over USB. Ctrl-C works until the firmware's link starts.
"""

import os
import sys

TRIES = 3
PAUSE_MS = 500  # for Ctrl-C at a start, and between two that fail
LAST_WORDS = 400


def choose(folders: list[str], failures: int) -> tuple[list[str], int, bool]:
    """The folders to go on with, the failures that count against the first, and whether to be careful."""
    if failures < TRIES:
        return folders, failures, False
    if len(folders) > 1:
        return folders[1:], 0, False
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


def failures(root: str) -> int:
    count = read(root + "boots").split()[:1]
    return int(count[0]) if count and count[0].isdigit() else 0


def begin(root: str = "/", bitten: bool = False) -> tuple[str, bool]:
    """Write this start down; the folder to run and whether to be careful. The folder is "" when there is none.

    `bitten`: the last reset was a watchdog's. It may also have been ours: then the start before is written down as ended.
    """
    folders = read(root + "current").split()
    failed = bitten and read(root + "boots").split()[1:] == ["running"]
    chosen, count, careful = choose(folders, failures(root) + failed)
    if chosen != folders:
        told = "%d starts of %s failed, %s runs instead\n" % (TRIES, folders[0], chosen[0])
        write(root + "crash", read(root + "crash")[-LAST_WORDS:] + "\n" + told)
        write(root + "current", "\n".join(chosen) + "\n")
    write(root + "boots", "%d running\n" % count)
    return (chosen[0] if chosen else ""), careful


def end(root: str = "/", failed: bool = False) -> None:
    """Write down how this start ended."""
    write(root + "boots", "%d\n" % (failures(root) + failed))


def run(root: str = "/") -> None:
    import time

    import machine

    if read(root + "stay"):
        os.remove(root + "stay")
        print("Naqala waits at the prompt; reset to start it.")
        return
    cause = getattr(machine, "reset_cause", None)  # not every controller can tell
    folder, careful = begin(root, cause is not None and cause() == machine.WDT_RESET)
    if not folder:
        print("No Naqala firmware here; `naqala flash` puts it on.")
        return
    try:
        time.sleep_ms(PAUSE_MS)
    except KeyboardInterrupt:
        end(root)
        print("Naqala waits at the prompt; reset to start it.")
        return
    sys.path.insert(0, root + folder)
    try:
        from naqala_firmware import start

        start.run(root, folder, careful)
        end(root)
        write(root + "stay", "1")  # it ends only when the host asks for the prompt
    except KeyboardInterrupt:
        end(root)
        write(root + "stay", "1")  # the watchdog cannot be stopped: the prompt is safe only after a reset
    except Exception as error:
        import io

        words = io.StringIO()
        sys.print_exception(error, words)  # type: ignore[attr-defined]
        print(words.getvalue())
        write(root + "crash", words.getvalue()[-LAST_WORDS:])
        end(root, True)
        if careful:
            return  # even safe mode failed: the prompt is all that is left
        time.sleep_ms(PAUSE_MS)
    machine.reset()


if __name__ == "__main__":
    run()
