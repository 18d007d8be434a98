"""The part of unittest that the shared tests use, for MicroPython, whose package has none.

Tests are written for CPython's unittest; this stand-in runs the same files on the real interpreter.
"""

import sys


class _Raises:
    """What `with self.assertRaises(Kind) as caught` needs: the exception is kept for a look."""

    def __init__(self, kind):
        self.kind = kind
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, exception, traceback):
        if kind is None:
            raise AssertionError("%s was not raised" % self.kind.__name__)
        self.exception = exception
        return issubclass(kind, self.kind)


class TestCase:
    def setUp(self):
        pass

    def tearDown(self):
        pass

    def assertEqual(self, first, second, message=""):
        if not first == second:
            raise AssertionError("%r != %r %s" % (first, second, message))

    def assertNotEqual(self, first, second, message=""):
        if first == second:
            raise AssertionError("%r == %r %s" % (first, second, message))

    def assertTrue(self, value, message=""):
        if not value:
            raise AssertionError("%r is not true %s" % (value, message))

    def assertFalse(self, value, message=""):
        if value:
            raise AssertionError("%r is not false %s" % (value, message))

    def assertIn(self, item, container, message=""):
        if item not in container:
            raise AssertionError("%r not in %r %s" % (item, container, message))

    def assertLess(self, first, second, message=""):
        if not first < second:
            raise AssertionError("%r not below %r %s" % (first, second, message))

    def assertLessEqual(self, first, second, message=""):
        if not first <= second:
            raise AssertionError("%r above %r %s" % (first, second, message))

    def assertGreater(self, first, second, message=""):
        if not first > second:
            raise AssertionError("%r not above %r %s" % (first, second, message))

    def assertGreaterEqual(self, first, second, message=""):
        if not first >= second:
            raise AssertionError("%r below %r %s" % (first, second, message))

    def assertRaises(self, kind):
        return _Raises(kind)


def run(module):
    """Run every test of a module; print each failure with its traceback. Returns (passed, failed)."""
    passed = failed = 0
    for name in sorted(dir(module)):
        case = getattr(module, name)
        if not (isinstance(case, type) and issubclass(case, TestCase)):
            continue
        for method in sorted(dir(case)):
            if not method.startswith("test"):
                continue
            test = case()
            try:
                test.setUp()
                try:
                    getattr(test, method)()
                finally:
                    test.tearDown()
                passed += 1
            except Exception as error:
                failed += 1
                print("FAILED %s.%s" % (name, method))
                sys.print_exception(error)
    return passed, failed
