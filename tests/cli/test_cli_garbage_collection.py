import subprocess
import sys


def test_the_collector_works_seldom_while_loading_and_as_usual_afterwards():
    program = (
        "import gc\n"
        "usual = gc.get_threshold()\n"
        "from benchmaker.cli.garbage_collection import collect_seldom, resume_collecting\n"
        "collect_seldom()\n"
        "assert gc.isenabled() and gc.get_threshold()[0] > 100 * usual[0]\n"
        "assert not gc.get_freeze_count()\n"
        "resume_collecting()\n"
        "assert gc.get_threshold() == usual\n"
        "assert gc.get_freeze_count()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_object_is_scanned_when_a_command_ends():
    program = (
        "import atexit, gc\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1_000))\n"
        "from benchmaker.cli import main\n"
        "main(['--version'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.endswith("True\n")
