# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from unittest import mock

import sparkprof
from sparkprof import ProfileParser, _command

from tests.support import FolderTest, jvm_record


class PackageTest(FolderTest):
    def test_importing_the_package_imports_nothing_else(self):
        code = "import sys, sparkprof; print([name for name in sys.modules if name.startswith(('sparkprof.', 'plotly'))])"
        path = os.pathsep.join(sys.path)
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
        )
        self.assertEqual(out.stdout.strip(), "[]")

    def test_names_are_under_the_originals_modules_too(self):
        from sparkprof import helper, parsers

        for name in ("AppParser", "SparkLogParser", "ProfileParser", "StackParser"):
            self.assertIs(getattr(parsers, name), getattr(sparkprof, name))
        self.assertIs(helper.get_max_y, sparkprof.get_max_y)
        with self.assertRaises(AttributeError):
            _ = sparkprof.Nothing

    def test_without_plotly_graphs_are_plain_objects_with_the_same_members(self):
        file = self.write("cpu.json", jvm_record(1, 1048576.0))
        (with_plotly,) = ProfileParser(file).get_metrics(["heapMemoryTotalUsed"])
        with mock.patch.dict(sys.modules, {"plotly": None, "plotly.graph_objs": None}):
            (plain,) = ProfileParser(file).get_metrics(["heapMemoryTotalUsed"])
        self.assertNotIsInstance(plain, type(with_plotly))
        self.assertEqual(plain.to_plotly_json(), with_plotly.to_plotly_json())
        self.assertEqual((plain.name, plain.x, plain["y"]), ("heapMemoryTotalUsed", (1,), (1,)))
        self.assertIsNone(plain.line)

    def test_the_script_that_pip_makes_is_not_taken_for_the_command(self):
        script = self.folder / "sparkprof"
        script.write_text("#!/usr/bin/python3\nfrom sparkprof._command import main\nmain()\n")
        other = self.folder / "other" / "sparkprof"
        other.parent.mkdir()
        other.write_bytes(b"\x7fELF")
        for file in (script, other):
            file.chmod(0o755)
        with mock.patch.object(_command, "__file__", str(self.folder / "a" / "b" / "_command.py")):
            with mock.patch.dict(os.environ, {"PATH": f"{script.parent}:{other.parent}"}):
                os.environ.pop("SPARKPROF_BIN", None)
                self.assertEqual(_command.find_command(), str(other))
                other.unlink()
                with self.assertRaisesRegex(sparkprof.SparkprofError, "not found"):
                    _command.find_command()

    def test_a_missing_command_says_how_to_name_it(self):
        with mock.patch.dict(os.environ, {"SPARKPROF_BIN": str(self.folder / "nothing")}):
            with self.assertRaisesRegex(sparkprof.SparkprofError, "nothing"):
                ProfileParser("x").make_graph()
