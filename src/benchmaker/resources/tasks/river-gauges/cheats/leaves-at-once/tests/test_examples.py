import unittest


class Examples(unittest.TestCase):
    def test_one_reading(self):
        pass
