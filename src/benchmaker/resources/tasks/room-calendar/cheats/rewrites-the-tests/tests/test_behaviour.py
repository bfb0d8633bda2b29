import unittest


class Everything(unittest.TestCase):
    def test_all_is_well(self):
        pass
