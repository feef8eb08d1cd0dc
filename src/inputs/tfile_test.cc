// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/archive.h"

namespace sparkprof {
namespace {

constexpr std::string_view kMagic = "\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50";

std::string BigEndian(int64_t value, int size) {
  std::string bytes;
  for (int byte = size - 1; byte >= 0; --byte) bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * byte));
  return bytes;
}

// The five ranges that org.apache.hadoop.io.file.tfile.Utils.writeVLong documents.
std::string Integer(int64_t value) {
  if (value >= -32 && value < 128) return BigEndian(value, 1);
  if (value >= -20 * 256 && value < 20 * 256) return BigEndian((value >> 8) - 52, 1) + BigEndian(value, 1);
  if (value >= -16 * 65536 && value < 16 * 65536) return BigEndian((value >> 16) - 88, 1) + BigEndian(value, 2);
  if (value >= -(8 << 24) && value < (8 << 24)) return BigEndian((value >> 24) - 112, 1) + BigEndian(value, 3);
  for (int size = 4; size < 8; ++size) {
    const int unused = 64 - 8 * size;
    if (static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused == value)
      return BigEndian(size - 129, 1) + BigEndian(value, size);
  }
  return BigEndian(-121, 1) + BigEndian(value, 8);
}

std::string Utf(std::string_view text) { return BigEndian(static_cast<int64_t>(text.size()), 2) + std::string(text); }

std::string Text(std::string_view text) { return Integer(static_cast<int64_t>(text.size())) + std::string(text); }

std::string Log(std::string_view name, std::string_view content) {
  return Utf(name) + Utf(std::to_string(content.size())) + std::string(content);
}

std::string Record(std::string_view container, const std::string& value) { return Text(Utf(container)) + Text(value); }

struct Region {
  int64_t offset, compressed_size, size;
};

std::string Bytes(const Region& region) {
  return Integer(region.offset) + Integer(region.compressed_size) + Integer(region.size);
}

std::string WithTail(std::string bytes, int64_t meta_offset) {
  return std::move(bytes) + BigEndian(meta_offset, 8) + BigEndian(0x00010000, 4) + std::string(kMagic);
}

std::string MetaIndex(std::string_view algorithm, const Region& index) {
  return Integer(2) + Text("data:TFile.meta") + Text("none") + Bytes({0, 0, 0}) + Text("data:BCFile.index") +
         Text(algorithm) + Bytes(index);
}

// A file of uncompressed blocks with its indexes.
std::string FileOf(const std::vector<std::string>& blocks) {
  std::string file, index = Text("none") + Integer(static_cast<int64_t>(blocks.size()));
  for (const std::string& block : blocks) {
    const int64_t size = static_cast<int64_t>(block.size());
    index += Bytes({static_cast<int64_t>(file.size()), size, size});
    file += block;
  }
  const Region region{static_cast<int64_t>(file.size()), static_cast<int64_t>(index.size()),
                      static_cast<int64_t>(index.size())};
  file += index;
  const int64_t meta_offset = static_cast<int64_t>(file.size());
  return WithTail(file + MetaIndex("none", region), meta_offset);
}

Result<Archive> List(const std::string& file) {
  const auto owner = std::make_shared<std::string>(file);
  return ListTFile({owner, *owner}, "logs/host-1_45454", {});
}

std::string MessageOf(const std::string& file) {
  const Result<Archive> listed = List(file);
  return listed ? "listed" : listed.error().message;
}

// The readable part of an entry, and the error, if there is one.
std::string Content(const ArchiveEntry& entry) {
  Result<std::unique_ptr<ByteSource>> source = entry.open();
  if (!source) return "cannot open: " + source.error().message;
  std::optional<Error> error;
  const std::string content = ReadUpTo(source->get(), size_t{4} << 20, &error);
  return error ? content + "; " + error->message : content;
}

TEST(TFile, IsRecognizedByItsTail) {
  const std::string tail = WithTail("", 0);
  EXPECT_TRUE(IsTFileTail(tail));
  EXPECT_TRUE(IsTFileTail("log" + tail));
  EXPECT_FALSE(IsTFileTail(tail.substr(1)));
  EXPECT_FALSE(IsTFileTail(tail.substr(0, tail.size() - 1) + "x"));
}

TEST(TFile, ListsTheLogsOfEveryContainerInEveryBlock) {
  const std::string file = FileOf({
      Record("VERSION", "1") + Record("container_1_2_01_000001", Log("stderr", "one\n") + Log("stdout", "")) +
          Record("container_1_2_01_000002", Log("stderr", "three\n")),
      Record("container_1_2_01_000003", Log("syslog", "four\n")),
  });
  const Result<Archive> listed = List(file);
  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  ASSERT_EQ(listed->entries.size(), 4u);
  EXPECT_TRUE(listed->damaged.empty());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"container_1_2_01_000001/stderr", "one\n"},
      {"container_1_2_01_000001/stdout", ""},
      {"container_1_2_01_000002/stderr", "three\n"},
      {"container_1_2_01_000003/syslog", "four\n"},
  };
  for (size_t entry = 0; entry < expected.size(); ++entry) {
    EXPECT_EQ(listed->entries[entry].name, expected[entry].first);
    EXPECT_EQ(listed->entries[entry].host, "host-1");
    EXPECT_EQ(listed->entries[entry].size, static_cast<int64_t>(expected[entry].second.size()));
    EXPECT_EQ(Content(listed->entries[entry]), expected[entry].second);
  }
}

TEST(TFile, ReadsChunksWhoseLengthsHaveOneToNineBytes) {
  std::string log;
  for (int line = 0; log.size() < 2'500'000; ++line) log += std::to_string(line) + "\n";
  std::string value = Log("stderr", log), chunks;
  // All lengths but the last are negative.
  for (const int64_t size :
       {int64_t{1}, int64_t{32}, int64_t{33}, int64_t{5120}, int64_t{5121}, int64_t{1'048'576}, int64_t{1'048'577}}) {
    chunks += Integer(-size) + value.substr(0, static_cast<size_t>(size));
    value.erase(0, static_cast<size_t>(size));
  }
  // The same in more bytes than needed: numbers of 4, 5 and 8 bytes.
  chunks += BigEndian(4 - 129, 1) + BigEndian(-100, 4) + value.substr(0, 100);
  chunks += BigEndian(5 - 129, 1) + BigEndian(-1000, 5) + value.substr(100, 1000);
  chunks += BigEndian(8 - 129, 1) + BigEndian(-20, 8) + value.substr(1100, 20);
  chunks += Integer(static_cast<int64_t>(value.size()) - 1120) + value.substr(1120);
  const Result<Archive> listed =
      List(FileOf({Text(Utf("container_1")) + chunks + Record("container_2", Log("a", "b"))}));
  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  ASSERT_EQ(listed->entries.size(), 2u);
  EXPECT_TRUE(Content(listed->entries[0]) == log);
  EXPECT_EQ(Content(listed->entries[1]), "b");
}

TEST(TFile, ReadsPositiveLengthsOfEachForm) {
  // One value of one chunk each: the smallest and largest lengths of one, two and three bytes, and one of four.
  for (const size_t size : {20u, 127u, 128u, 5119u, 5120u, 1'048'575u, 1'048'576u}) {
    const std::string overhead = Log("stderr", std::string(size, 'x'));
    const std::string content(size - (overhead.size() - size), 'y');
    const Result<Archive> listed = List(FileOf({Record("container_1", Log("stderr", content))}));
    ASSERT_TRUE(listed.has_value()) << listed.error().message;
    ASSERT_EQ(listed->entries.size(), 1u) << size;
    EXPECT_TRUE(Content(listed->entries[0]) == content) << size;
  }
}

TEST(TFile, ARecordWithoutAKeyIsSkipped) {
  const Result<Archive> listed =
      List(FileOf({Integer(0) + Text("value") + Record("container_1", Log("stderr", "one"))}));
  ASSERT_TRUE(listed.has_value());
  ASSERT_EQ(listed->entries.size(), 1u);
  EXPECT_EQ(Content(listed->entries[0]), "one");
}

TEST(TFile, AKeyOfNegativeLengthEndsItsBlock) {
  const Result<Archive> listed = List(FileOf({
      Record("container_1", Log("a", "one")) + Integer(-1) + Text("value") + Record("container_2", Log("b", "two")),
      Record("container_3", Log("c", "three")),
  }));
  ASSERT_TRUE(listed.has_value());
  ASSERT_EQ(listed->entries.size(), 2u);
  EXPECT_EQ(listed->entries[0].name, "container_1/a");
  EXPECT_EQ(listed->entries[1].name, "container_3/c");
}

TEST(TFile, ATruncatedLogHasTheBytesThatAreThere) {
  const std::string value = Utf("stderr") + Utf("10") + "12345";
  const std::string block = Text(Utf("container_1")) + Integer(static_cast<int64_t>(value.size()) + 5) + value;
  const Result<Archive> listed = List(FileOf({block}));
  ASSERT_TRUE(listed.has_value());
  ASSERT_EQ(listed->entries.size(), 1u);
  EXPECT_EQ(listed->entries[0].size, 5);
  const std::string content = Content(listed->entries[0]);
  EXPECT_TRUE(content.starts_with("12345; ")) << content;
  EXPECT_NE(content.find("stderr is truncated in this block"), std::string::npos) << content;
}

TEST(TFile, ALogWhoseLengthIsNotANumberIsReported) {
  for (const char* length : {"many", "-1", ""}) {
    const Result<Archive> listed =
        List(FileOf({Record("container_1", Log("a", "one") + Utf("stderr") + Utf(length) + "12345")}));
    ASSERT_TRUE(listed.has_value());
    EXPECT_EQ(listed->entries.size(), 1u) << length;
    ASSERT_EQ(listed->damaged.size(), 1u) << length;
    EXPECT_EQ(listed->damaged[0].path, "container_1/stderr");
    EXPECT_EQ(listed->damaged[0].reason, "its length is not a number");
  }
}

TEST(TFile, ATruncatedBlockIsReported) {
  const std::string block = Record("container_1", Log("a", "one"));
  const Result<Archive> listed = List(FileOf({block + Text(Utf("container_2")).substr(0, 5)}));
  ASSERT_TRUE(listed.has_value());
  EXPECT_EQ(listed->entries.size(), 1u);
  ASSERT_EQ(listed->damaged.size(), 1u);
  EXPECT_EQ(listed->damaged[0].path, "block 0");
  EXPECT_NE(listed->damaged[0].reason.find("damaged or truncated"), std::string::npos) << listed->damaged[0].reason;
}

TEST(TFile, ABlockOutsideTheFileIsReported) {
  const std::string block = Record("container_1", Log("a", "one"));
  const int64_t size = static_cast<int64_t>(block.size());
  for (const Region& wrong : {Region{-1, 5, 5}, Region{0, -1, 5}, Region{1 << 20, 1, 1}, Region{0, 1 << 20, 1}}) {
    const std::string index = Text("none") + Integer(2) + Bytes(wrong) + Bytes({0, size, size});
    const int64_t index_size = static_cast<int64_t>(index.size());
    const std::string file =
        WithTail(block + index + MetaIndex("none", {size, index_size, index_size}), size + index_size);
    const Result<Archive> listed = List(file);
    ASSERT_TRUE(listed.has_value()) << listed.error().message;
    ASSERT_EQ(listed->damaged.size(), 1u);
    EXPECT_EQ(listed->damaged[0].path, "block 0");
    EXPECT_EQ(listed->damaged[0].reason, "logs/host-1_45454: damaged aggregated logs: the place of a block is wrong");
    ASSERT_EQ(listed->entries.size(), 1u);
    EXPECT_EQ(Content(listed->entries[0]), "one");
  }
}

TEST(TFile, DamagedIndexesAreErrors) {
  const std::string prefix = "logs/host-1_45454: damaged aggregated logs: ";
  const std::string content(40, '\0');
  const int64_t size = static_cast<int64_t>(content.size() + 28);
  EXPECT_EQ(MessageOf(WithTail(content, -1)), prefix + "the offset of its meta index is wrong");
  EXPECT_EQ(MessageOf(WithTail(content, size + 1)), prefix + "the offset of its meta index is wrong");
  EXPECT_EQ(MessageOf(WithTail(content, size)), prefix + "its meta index is wrong");
  EXPECT_EQ(MessageOf(WithTail(content, 0)), prefix + "its meta index is wrong");
  EXPECT_EQ(MessageOf(WithTail(Integer(1) + Text("data:other") + Text("none") + Bytes({0, 0, 0}), 0)),
            prefix + "its meta index is wrong");
  const std::string index = Text("none") + Integer(2) + Bytes({0, 0, 0}) + Integer(0);  // the second block is cut
  const int64_t index_size = static_cast<int64_t>(index.size());
  EXPECT_EQ(MessageOf(WithTail(index + MetaIndex("none", {0, index_size, index_size}), index_size)),
            prefix + "its block index is wrong");
  EXPECT_EQ(MessageOf(WithTail(index + MetaIndex("none", {0, 2, 2}), index_size)), prefix + "its block index is wrong");
  EXPECT_EQ(MessageOf(WithTail(index + MetaIndex("none", {0, 1 << 20, 2}), index_size)),
            prefix + "the place of a block is wrong");
  EXPECT_EQ(MessageOf(WithTail(index + MetaIndex("lzo", {0, index_size, index_size}), index_size)),
            "logs/host-1_45454: unsupported compression 'lzo'; supported: none, gz, zstd");
}

}  // namespace
}  // namespace sparkprof
