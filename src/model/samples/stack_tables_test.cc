// SPDX-License-Identifier: Apache-2.0
#include "model/samples/stack_tables.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace sparkprof {
namespace {

StackId Add(std::initializer_list<Frame> frames, StackTables* tables) {
  StackId stack = 0;
  for (const Frame& frame : frames) stack = tables->stacks.Push(stack, tables->frames.Intern(frame));
  return stack;
}

Frame Function(std::string_view name, uint32_t line, StackTables* tables) {
  return {.name = tables->strings.Intern(name), .file = tables->strings.Intern("/tmp/x/job.py"), .line = line};
}

std::string Text(const StackTables& tables, StackId stack) {
  std::vector<FrameId> path;
  tables.stacks.Unwind(stack, &path);
  std::string text;
  for (const FrameId id : path) {
    const Frame& frame = tables.frames.Get(id);
    text += std::string(text.empty() ? "" : ";") + std::string(tables.strings.Get(frame.name)) + " " +
            std::string(tables.strings.Get(frame.file)) + ":" + std::to_string(frame.line);
  }
  return text;
}

std::string BaseName(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }
std::string Upper(std::string_view text) { return std::string(text) + "!"; }

class StackCopierTest : public testing::Test {
 protected:
  StackTables from_, to_;
  const StackId first_ = Add({Function("main", 1, &from_), Function("f", 2, &from_)}, &from_);
  const StackId second_ = Add({Function("main", 1, &from_), Function("f", 3, &from_)}, &from_);
};

TEST_F(StackCopierTest, CopiesEachStackOnce) {
  StackCopier copier(from_, &to_);
  const StackId copy = copier.Copy(first_);
  EXPECT_EQ(Text(to_, copy), "main /tmp/x/job.py:1;f /tmp/x/job.py:2");
  const size_t bytes = copier.EncodedBytes();
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(copier.Copy(first_), copy);
  EXPECT_EQ(copier.EncodedBytes(), bytes);
  EXPECT_NE(copier.Copy(second_), copy);
  EXPECT_EQ(copier.Copy(0), 0u);
  EXPECT_EQ(to_.stacks.Size(), 4u) << "the root, main and both lines of f";
}

TEST_F(StackCopierTest, DropsLinesAndRenamesFilesAndTexts) {
  StackCopier copier(from_, &to_);
  copier.DropLines();
  copier.NameFiles(BaseName);
  copier.NameTexts(Upper);
  EXPECT_EQ(Text(to_, copier.Copy(first_)), "main! job.py!:0;f! job.py!:0");
  EXPECT_EQ(copier.Copy(first_), copier.Copy(second_));
}

TEST_F(StackCopierTest, PutsCopiesBelowARoot) {
  const StackId root = Add({Function("input", 0, &to_)}, &to_);
  StackCopier copier(from_, &to_);
  copier.SetRoot(root);
  EXPECT_EQ(Text(to_, copier.Copy(first_)), "input /tmp/x/job.py:0;main /tmp/x/job.py:1;f /tmp/x/job.py:2");
}

TEST_F(StackCopierTest, EndsStacksBeyondALimitAtKnownCallers) {
  StackCopier copier(from_, &to_);
  copier.EndBeyond(3, to_.frames.Intern({.name = to_.strings.Intern("[end]")}));
  EXPECT_EQ(Text(to_, copier.Copy(first_)), "main /tmp/x/job.py:1;f /tmp/x/job.py:2");
  const StackId cut = copier.Copy(second_);
  EXPECT_EQ(Text(to_, cut), "main /tmp/x/job.py:1;[end] :0");
  const StackId deeper = from_.stacks.Push(second_, from_.frames.Intern(Function("g", 4, &from_)));
  StackCopier again(from_, &to_);
  again.EndBeyond(3, to_.frames.Intern({.name = to_.strings.Intern("[end]")}));
  EXPECT_EQ(again.Copy(deeper), cut);
}

}  // namespace
}  // namespace sparkprof
