// SPDX-License-Identifier: Apache-2.0
// Codecs with streaming libraries.
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/io/compression.h"
#include "base/io/input_buffer.h"

namespace sparkprof {
namespace {

// Deflated data in gzip members (ISAL_GZIP) or one zlib stream (ISAL_ZLIB).
class InflateSource : public ByteSource {
 public:
  InflateSource(std::unique_ptr<ByteSource> source, const std::string& name, uint32_t format)
      : input_(std::move(source), name), state_(std::make_unique<inflate_state>()), format_(format) {
    Reset();
  }

  Result<size_t> Read(char* bytes, size_t size) override {
    if (fault_) return tl::unexpected(*std::exchange(fault_, std::nullopt));
    state_->next_out = reinterpret_cast<uint8_t*>(bytes);
    state_->avail_out = static_cast<uint32_t>(std::min<size_t>(size, std::numeric_limits<uint32_t>::max()));
    while (!ended_) {
      if (!in_member_ && !AtMember()) {
        ended_ = true;
        if (input_.SourceError()) return tl::unexpected(*input_.SourceError());
        return 0;
      }
      in_member_ = true;
      // Also at the end of the input: the library may still hold output that did not fit before.
      if (const Result<size_t> got = Inflate(input_.Peek(1), bytes); !got || *got > 0) return got;
    }
    return 0;
  }

 private:
  void Reset() {
    isal_inflate_init(state_.get());
    state_->crc_flag = format_;
    in_member_ = false;
  }

  // Ignores data after a member that is not a member, such as zero padding on tapes.
  bool AtMember() {
    if (format_ == ISAL_ZLIB) return members_ == 0 && !input_.Peek(1).empty();
    return input_.Peek(2).substr(0, 2) == "\x1f\x8b";
  }

  Result<size_t> Inflate(std::string_view next, char* bytes) {
    state_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(next.data()));
    state_->avail_in = static_cast<uint32_t>(next.size());
    const int status = isal_inflate(state_.get());
    input_.Consume(next.size() - state_->avail_in);
    const size_t got = static_cast<size_t>(reinterpret_cast<char*>(state_->next_out) - bytes);
    const bool finished = state_->block_state == ISAL_BLOCK_FINISH;
    const bool no_progress = got == 0 && state_->avail_in == next.size() && !finished;
    if ((status != ISAL_DECOMP_OK && status != ISAL_END_INPUT) || no_progress) {
      ended_ = true;
      fault_ = input_.Fault(next.empty() ? "truncated deflated data" : "damaged deflated data");
      // Returns the data before the error first.
      if (got == 0) return tl::unexpected(*std::exchange(fault_, std::nullopt));
      return got;
    }
    if (finished) {
      uint8_t* const next_out = state_->next_out;
      const uint32_t avail_out = state_->avail_out;
      Reset();
      ++members_;
      state_->next_out = next_out;
      state_->avail_out = avail_out;
    }
    return got;
  }

  InputBuffer input_;
  std::unique_ptr<inflate_state> state_;
  const uint32_t format_;
  int64_t members_ = 0;  // number of members read completely
  bool in_member_ = false;
  bool ended_ = false;
  std::optional<Error> fault_;  // reported by the next Read
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> source, const std::string& name)
      : input_(std::move(source), name), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (fault_) return tl::unexpected(*std::exchange(fault_, std::nullopt));
    ZSTD_outBuffer output = {bytes, size, 0};
    while (!ended_) {
      const std::string_view next = input_.Peek(1);
      ZSTD_inBuffer input = {next.data(), next.size(), 0};
      // Also at the end of the input: the library may still hold output that did not fit before.
      const size_t rest = ZSTD_decompressStream(context_.get(), &output, &input);
      input_.Consume(input.pos);
      if (ZSTD_isError(rest)) {
        ended_ = true;
        fault_ = input_.Fault(fmt::format("damaged zstd data ({})", ZSTD_getErrorName(rest)));
        if (output.pos > 0) return output.pos;
        return tl::unexpected(*std::exchange(fault_, std::nullopt));
      }
      if (!next.empty()) in_frame_ = rest != 0;
      if (output.pos > 0) return output.pos;
      if (!next.empty()) continue;
      ended_ = true;
      if (in_frame_) return tl::unexpected(input_.Fault("truncated zstd data"));
      if (input_.SourceError()) return tl::unexpected(*input_.SourceError());
    }
    return 0;
  }

 private:
  InputBuffer input_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  bool in_frame_ = false;
  bool ended_ = false;
  std::optional<Error> fault_;  // reported by the next Read
};

}  // namespace

std::unique_ptr<ByteSource> DecodeGzip(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<InflateSource>(std::move(source), name, ISAL_GZIP);
}

std::unique_ptr<ByteSource> DecodeZlib(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<InflateSource>(std::move(source), name, ISAL_ZLIB);
}

std::unique_ptr<ByteSource> DecodeZstd(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<ZstdSource>(std::move(source), name);
}

}  // namespace sparkprof
