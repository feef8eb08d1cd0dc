// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof {

// Thread dumps as text or as JSON; their readers describe what they read.
Result<void> ReadThreadDump(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  std::optional<Error> damage;
  std::string head = ReadUpTo(source.get(), kFormatHeadSize, &damage);
  const bool is_text = LooksLikeThreadDumpText(head), is_gdb = !is_text && LooksLikeGdbStacks(head);
  FormatReader* const read = LooksLikeThreadDumpJson(head) ? ReadThreadDumpJson
                             : LooksLikeJavacore(head)     ? ReadJavacore
                             : is_gdb                      ? ReadGdbStacks
                                                           : ReadThreadDumpText;
  return read(HeadedSource(std::move(head), std::move(damage), std::move(source)), builder);
}

bool LooksLikeThreadDump(std::string_view head) {
  return LooksLikeThreadDumpJson(head) || LooksLikeThreadDumpText(head) || LooksLikeJavacore(head) ||
         LooksLikeGdbStacks(head);
}

}  // namespace sparkprof
