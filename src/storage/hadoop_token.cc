// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "base/io/byte_cursor.h"
#include "http/signing.h"
#include "storage/credentials.h"

namespace sparkprof {
namespace {

// WritableUtils.readVInt: one byte from -112 to 127, or the sign and length of the following bytes.
int64_t ReadVInt(ByteCursor* cursor) {
  const auto first = static_cast<int8_t>(cursor->Byte());
  if (first >= -112) return first;
  const bool is_negative = first < -120;
  const auto value = static_cast<int64_t>(cursor->BigEndian(is_negative ? -120 - first : -112 - first));
  return is_negative ? ~value : value;
}

std::string_view ReadBytes(ByteCursor* cursor) { return cursor->Bytes(ReadVInt(cursor)); }

}  // namespace

Result<std::string> HdfsTokenOf(std::string_view token_file) {
  constexpr std::string_view kMagic = "HDTS";
  constexpr std::string_view kKinds[] = {"WEBHDFS delegation", "SWEBHDFS delegation", "HDFS_DELEGATION_TOKEN"};
  ByteCursor cursor(token_file);
  if (cursor.Bytes(kMagic.size()) != kMagic || cursor.Byte() != 0)
    return Fail("not a token file of Hadoop in its first format: write it with `hdfs fetchdt`");
  const int64_t count = ReadVInt(&cursor);
  std::string_view found;
  for (int64_t token = 0; token < count && cursor.Ok(); ++token) {
    (void)ReadBytes(&cursor);  // alias in the file
    const size_t begin = cursor.Position();
    (void)ReadBytes(&cursor);  // identifier
    (void)ReadBytes(&cursor);  // password
    const std::string_view kind = ReadBytes(&cursor);
    (void)ReadBytes(&cursor);  // service
    const std::string_view bytes = token_file.substr(begin, cursor.Position() - begin);
    for (const std::string_view of_hdfs : kKinds)
      if (cursor.Ok() && kind == of_hdfs && found.empty()) found = bytes;
  }
  if (!cursor.Ok()) return Fail("the token file ends early");
  if (found.empty()) return Fail("the token file has no token for HDFS");
  return Base64Url(found);
}

}  // namespace sparkprof
