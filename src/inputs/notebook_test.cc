// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "inputs/archive.h"

namespace sparkprof {
namespace {

constexpr char kNotebook[] = R"json({"cells":[{"cell_type":"markdown","source":["x"]},
{"cell_type":"code","outputs":[{"output_type":"stream","name":"stderr","text":["26/11/28 07:00:01 WARN Utils: x\n"]}]},
{"cell_type":"code","outputs":[{"output_type":"execute_result","data":{"text/plain":"42"}}]},
{"cell_type":"code","outputs":[{"output_type":"stream","name":"stdout","text":["== Physical Plan ==\n","Range (0, 1)\n"]}]},
{"cell_type":"code","outputs":[{"output_type":"error","ename":"ValueError","evalue":"bad",
 "traceback":["\u001b[0;31mValueError\u001b[0m: bad","at a.B.c(B.java:1)"]}]}],"nbformat":4})json";

Result<Archive> List(const std::string& text) {
  return ListNotebook([text] { return Result<std::unique_ptr<ByteSource>>(StringSource(text)); });
}

std::string Content(const ArchiveEntry& entry) {
  const Result<std::unique_ptr<ByteSource>> source = entry.open();
  return source ? ReadAll(source->get(), 1 << 20, entry.name).value_or("cannot read") : "cannot open";
}

TEST(NotebookTest, LogsAndErrorsAreOneEntryAndAFragmentIsItsCell) {
  EXPECT_TRUE(IsNotebook(kNotebook));
  const Result<Archive> archive = List(kNotebook);
  ASSERT_TRUE(archive) << archive.error().message;
  ASSERT_EQ(archive->entries.size(), 2u);
  EXPECT_EQ(archive->entries[0].name, "cell-4");
  EXPECT_EQ(Content(archive->entries[0]), "== Physical Plan ==\nRange (0, 1)\n");
  EXPECT_EQ(archive->entries[1].name, "outputs");
  EXPECT_EQ(Content(archive->entries[1]),
            "26/11/28 07:00:01 WARN Utils: x\n42\nTraceback (most recent call last):\nValueError: bad\n"
            "at a.B.c(B.java:1)\nValueError: bad\n");
}

TEST(NotebookTest, ANotebookWithoutSuchOutputsOrDamagedNamesTheReason) {
  const auto error_of = [](const std::string& text) {
    const Result<Archive> archive = List(text);
    return archive ? std::string("no error") : archive.error().message;
  };
  EXPECT_TRUE(error_of(R"({"cells":[{"cell_type":"code","outputs":[]}]})").starts_with("a Jupyter notebook whose"));
  EXPECT_TRUE(error_of(std::string(kNotebook).substr(0, 300)).starts_with("a notebook that is not valid JSON"));
  EXPECT_FALSE(IsNotebook("{\"cells\":[]}"));
}

}  // namespace
}  // namespace sparkprof
