// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/thread_dump.h"

#include <optional>
#include <string>
#include <utility>

#include "formats/feed_lines.h"
#include "formats/thread_dump/gdb_stacks_reader.h"
#include "formats/thread_dump/javacore_reader.h"
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
  const bool is_json = ThreadDumpJsonReader::LooksLike(head), is_javacore = JavacoreReader::LooksLike(head),
             is_gdb = !ThreadDumpReader::LooksLike(head) && GdbStacksReader::LooksLike(head);
  source = HeadedSource(std::move(head), std::move(damage), std::move(source));
  if (is_json) return ReadAs<ThreadDumpJsonReader>(std::move(source), builder);
  if (is_javacore) return ReadAs<JavacoreReader>(std::move(source), builder);
  if (is_gdb) return ReadAs<GdbStacksReader>(std::move(source), builder);
  return ReadAs<ThreadDumpReader>(std::move(source), builder);
}

bool LooksLikeThreadDump(std::string_view head) {
  return ThreadDumpJsonReader::LooksLike(head) || ThreadDumpReader::LooksLike(head) ||
         JavacoreReader::LooksLike(head) || GdbStacksReader::LooksLike(head);
}

}  // namespace sparkprof
