// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/archive.h"

namespace sparkprof {
namespace {

constexpr std::string_view kUuid = "01234567-89ab-cdef-ABCD-EF0123456789";

std::string BigEndian(int64_t value, int size) {
  std::string bytes;
  for (int byte = size - 1; byte >= 0; --byte) bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * byte));
  return bytes;
}

std::string Utf(std::string_view text) { return BigEndian(static_cast<int64_t>(text.size()), 2) + std::string(text); }

std::string String(std::string_view text) { return "\x74" + Utf(text); }

std::string Object(std::string_view type, int flags, int count, const std::string& fields, const std::string& data) {
  return "\x73\x72" + Utf(type) + BigEndian(0, 8) + BigEndian(flags, 1) + BigEndian(count, 2) + fields + "\x78\x70" +
         data;
}

std::string Collection(const std::string& elements) { return Object("java.util.List", 3, 0, "", elements + "\x78"); }

struct Log {
  std::string container, name;
  int64_t begin, size;
};

// The objects that LogAggregationIndexedFileController serializes, with the fields that are read.
std::string Index(const std::vector<Log>& logs, std::string_view algorithm = "none") {
  const std::string text_type = String("Ljava/lang/String;");
  std::string containers;
  for (const Log& log : logs) {
    const std::string fields = "J" + Utf("fileCompressedSize") + "J" + Utf("startIndex") + "L" + Utf("containerId") +
                               text_type + "L" + Utf("fileName") + text_type;
    containers +=
        String(log.container) +
        Collection(Object("LogMeta", 2, 4, fields,
                          BigEndian(log.size, 8) + BigEndian(log.begin, 8) + String(log.container) + String(log.name)));
  }
  const std::string cycle = Object("Cycle", 2, 1, "L" + Utf("logMetas") + String("Lm;"), Collection(containers));
  const std::string fields =
      "L" + Utf("compressName") + text_type + "L" + Utf("logMetas") + String("Ll;") + "L" + Utf("nodeId") + text_type;
  return BigEndian(0xaced, 2) + BigEndian(5, 2) +
         Object("Index", 2, 3, fields, String(algorithm) + Collection(cycle) + String("host-1:45454"));
}

std::string Cycle(const std::string& logs, const std::string& index) {
  return "\n" + logs + index + BigEndian(static_cast<int64_t>(index.size()), 4) + std::string(kUuid);
}

Result<Archive> List(const std::string& file) {
  const auto owner = std::make_shared<std::string>(file);
  return ListIndexedFile({owner, *owner}, "host-1_45454", {});
}

std::string Content(const ArchiveEntry& entry) {
  Result<std::unique_ptr<ByteSource>> source = entry.open();
  if (!source) return "cannot open: " + source.error().message;
  std::optional<Error> error;
  return ReadUpTo(source->get(), size_t{1} << 20, &error);
}

TEST(IndexedFile, IsRecognizedByItsUuid) {
  const std::string head = std::string(kUuid) + "\n";
  EXPECT_TRUE(IsIndexedFile(head));
  EXPECT_FALSE(IsIndexedFile(kUuid));
  EXPECT_FALSE(IsIndexedFile(std::string(kUuid) + " "));
  for (const size_t position : {0u, 8u, 13u, 18u, 23u, 35u}) {
    std::string other = head;
    other[position] = 'g';
    EXPECT_FALSE(IsIndexedFile(other)) << position;
  }
  std::string dashes = head;
  dashes[9] = '-';
  EXPECT_FALSE(IsIndexedFile(dashes));
}

TEST(IndexedFile, ListsTheLogsOfItsIndex) {
  const std::string logs = "onetwothree";  // from byte 37 on
  const std::string index =
      Index({{"container_1", "stderr", 37, 3}, {"container_2", "stderr", 40, 3}, {"container_1", "stderr", 43, 5}});
  const Result<Archive> listed = List(std::string(kUuid) + Cycle(logs, index));
  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  ASSERT_EQ(listed->entries.size(), 3u);
  EXPECT_EQ(listed->entries[0].name, "container_1/stderr");
  EXPECT_EQ(listed->entries[0].host, "host-1");
  EXPECT_EQ(listed->entries[0].size, 3);
  EXPECT_EQ(Content(listed->entries[0]), "one");
  EXPECT_EQ(Content(listed->entries[1]), "two");
  EXPECT_EQ(listed->entries[2].name, "container_1/stderr.1");
  EXPECT_EQ(Content(listed->entries[2]), "three");
}

TEST(IndexedFile, ALaterCycleThatIsTruncatedLeavesTheEarlier) {
  const std::string first = Cycle("one", Index({{"container_1", "stderr", 37, 3}}));
  const std::string second = Cycle("two", Index({{"container_1", "stderr", 37, 3}, {"container_2", "stderr", 99, 3}}));
  const std::string all = std::string(kUuid) + first + second;
  const Result<Archive> both = List(all);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->entries.size(), 2u);
  const Result<Archive> cut = List(all.substr(0, all.size() - 1));
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->entries.size(), 1u);
  std::string damaged = all;
  damaged[all.size() - kUuid.size() - 4] = '\x7f';  // a length beyond the file
  const Result<Archive> earlier = List(damaged);
  ASSERT_TRUE(earlier.has_value());
  EXPECT_EQ(earlier->entries.size(), 1u);
}

TEST(IndexedFile, ALogOutsideTheFileIsReported) {
  const std::string index = Index({{"container_1", "a", -1, 3},
                                   {"container_1", "b", 37, -1},
                                   {"container_1", "c", 1 << 20, 0},
                                   {"container_1", "d", 37, 1 << 20},
                                   {"container_1", "e", 37, 3}});
  const Result<Archive> listed = List(std::string(kUuid) + Cycle("one", index));
  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  ASSERT_EQ(listed->damaged.size(), 4u);
  EXPECT_EQ(listed->damaged[0].path, "container_1/a");
  EXPECT_EQ(listed->damaged[0].reason, "its offset is outside the file");
  EXPECT_EQ(listed->damaged[3].path, "container_1/d");
  ASSERT_EQ(listed->entries.size(), 1u);
  EXPECT_EQ(Content(listed->entries[0]), "one");
}

TEST(IndexedFile, AnUnknownCompressionIsAnErrorOfEachLog) {
  const Result<Archive> listed =
      List(std::string(kUuid) + Cycle("one", Index({{"container_1", "stderr", 37, 3}}, "lzo")));
  ASSERT_TRUE(listed.has_value());
  ASSERT_EQ(listed->entries.size(), 1u);
  EXPECT_EQ(Content(listed->entries[0]),
            "cannot open: host-1_45454!container_1/stderr: unsupported compression 'lzo'; supported: none, gz, zstd");
}

TEST(IndexedFile, AFileWithoutACompleteIndexIsAnError) {
  const Result<Archive> listed = List(std::string(kUuid) + "\nlogs without an index");
  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().message,
            "host-1_45454: damaged aggregated logs: no complete index before a UUID " + std::string(kUuid));
}

}  // namespace
}  // namespace sparkprof
