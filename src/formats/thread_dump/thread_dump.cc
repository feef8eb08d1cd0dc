// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/thread_dump.h"

#include <optional>
#include <string>
#include <utility>

#include "formats/feed_lines.h"
#include "formats/thread_dump/thread_dump_json_reader.h"
#include "formats/thread_dump/thread_dump_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;

template <typename Reader>
Result<void> ReadAs(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  Reader reader(builder);
  if (Result<void> read = FeedLines(std::move(source), builder, &reader); !read) return read;
  return reader.Finish();
}

}  // namespace

Result<void> ReadThreadDump(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  std::optional<Error> damage;
  std::string head = ReadUpTo(source.get(), kHeadBytes, &damage);
  const bool is_json = ThreadDumpJsonReader::LooksLike(head);
  source = HeadedSource(std::move(head), std::move(damage), std::move(source));
  return is_json ? ReadAs<ThreadDumpJsonReader>(std::move(source), builder)
                 : ReadAs<ThreadDumpReader>(std::move(source), builder);
}

bool LooksLikeThreadDump(std::string_view head) {
  return ThreadDumpJsonReader::LooksLike(head) || ThreadDumpReader::LooksLike(head);
}

}  // namespace sparkprof
