import unittest


class Frame(unittest.TestCase):
    @unittest.skip("done")
    def test_every_id_is_there_once(self):
        self.fail()
