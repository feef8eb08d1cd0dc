// SPDX-License-Identifier: Apache-2.0
// Any bytes as text: the same in pieces of any size, UTF-8 if it was UTF-16, and unchanged if it was binary.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/text/text.h"

namespace {

// Delivers a few bytes at a time.
class Pieces : public sparkprof::ByteSource {
 public:
  Pieces(std::string_view bytes, size_t piece) : bytes_(bytes), piece_(piece) {}

  sparkprof::Result<size_t> Read(char* bytes, size_t size) override {
    const size_t count = std::min({size, piece_, bytes_.size()});
    bytes_.copy(bytes, count);
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
  const size_t piece_;
};

std::string Decode(std::string_view bytes, size_t piece, std::optional<sparkprof::Error>* error) {
  const auto source = sparkprof::DecodeText(std::make_unique<Pieces>(bytes, piece), "fuzz");
  return sparkprof::ReadUpTo(source.get(), 4 * bytes.size() + 16, error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::optional<sparkprof::Error> error, error_of_pieces;
  const std::string text = Decode(bytes, size, &error);
  if (Decode(bytes, 1 + data[0] % 7, &error_of_pieces) != text || error.has_value() != error_of_pieces.has_value()) {
    std::abort();
  }
  const bool is_utf16 = sparkprof::Utf16HeadOf(bytes).is_utf16;
  if (is_utf16 ? !sparkprof::IsUtf8(text) : error.has_value()) std::abort();
  // Lines are joined or kept, never lost.
  const auto count = [](std::string_view in, char c) { return std::count(in.begin(), in.end(), c); };
  if (!is_utf16 && count(text, '\n') + count(text, '\r') > count(bytes, '\n') + count(bytes, '\r')) std::abort();
  if (!is_utf16 && bytes.find('\0') != std::string_view::npos && !bytes.starts_with("\xef\xbb\xbf") && text != bytes) {
    std::abort();
  }
  return 0;
}
