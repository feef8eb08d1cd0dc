// SPDX-License-Identifier: Apache-2.0
#include "cpython/frame_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "cpython/testing/pythons.h"

namespace sparkprof {
namespace {

// Python's own description of some code: first line, table in hexadecimal, then the line of each instruction (0 =
// none).
constexpr char kTellLines[] = R"(
import sys
source = '''def f(a,
      b):
  if a:
    x = (a +
         b)
    return x

  for i in range(3):
    print(i,
          b)
  try:
    return [y for y in
            (1, 2)]
  finally:
    a = 1
'''
code = compile(source, 'm.py', 'exec').co_consts[0]
table = code.co_lnotab if sys.version_info < (3, 10) else code.co_linetable
print(sys.version_info[1], code.co_firstlineno, table.hex())
if sys.version_info >= (3, 10):
  lines = [(begin, line or 0) for begin, end, line in code.co_lines() for begin in range(begin, end, 2)]
else:
  import dis
  starts = dict(dis.findlinestarts(code))
  line, lines = 0, []
  for at in range(0, len(code.co_code), 2):
    line = starts.get(at, line)
    lines.append((at, line))
print(' '.join('%d:%d' % pair for pair in lines))
)";

std::string Ask(const std::string& python, const std::string& code) {
  const std::string command = python + " - <<'END'\n" + code + "\nEND\n";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe.get())) output.append(buffer, got);
  return output;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST(LineOfInstruction, AgreesWithEachPythonHere) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    std::istringstream said(Ask(python, kTellLines));
    int minor = 0, first_line = 0, checked = 0;
    std::string hex;
    said >> minor >> first_line >> hex;
    ASSERT_GE(minor, 9);
    const std::string table = FromHex(hex);
    int instruction = 0, line = 0;
    for (char colon; said >> instruction >> colon >> line; ++checked) {
      EXPECT_EQ(LineOfInstruction(minor, table, first_line, instruction), line == 0 ? first_line : line) << instruction;
    }
    EXPECT_GT(checked, 30);
  }
}

TEST(LineOfInstruction, DamagedTablesGiveSomeLine) {
  uint32_t random = 7;
  for (int i = 0; i < 20'000; ++i) {
    std::string table;
    for (uint32_t size = i % 60; size > 0; --size) {
      random = random * 1664525 + 1013904223;
      table += static_cast<char>(random >> 24);
    }
    for (int minor = 9; minor <= 14; ++minor) LineOfInstruction(minor, table, 10, static_cast<int32_t>(random >> 20));
  }
  EXPECT_EQ(LineOfInstruction(11, "", 10, 4), 10);
  EXPECT_EQ(LineOfInstruction(12, "\xf0", 10, -1), 10);
}

}  // namespace
}  // namespace sparkprof
