// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/austin/austin_samples.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/text_cache.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

struct AustinLine {
  int64_t process = 0;
  std::string_view thread;
  std::string_view frames;
  std::string_view weight;
};

// "P12;T0:34;FILE:FUNCTION:LINE;… 56".
std::optional<AustinLine> ParseLine(std::string_view line) {
  const size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos || !line.starts_with('P')) return std::nullopt;
  AustinLine parsed{.weight = line.substr(blank + 1)};
  line = line.substr(0, blank);
  const size_t process_end = line.find(';');
  if (process_end == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> process = ParseInteger(line.substr(1, process_end - 1));
  line.remove_prefix(process_end + 1);
  if (!process || !line.starts_with('T')) return std::nullopt;
  parsed.process = *process;
  const size_t thread_end = line.find(';');
  parsed.thread = line.substr(1, thread_end == std::string_view::npos ? thread_end : thread_end - 1);
  if (thread_end != std::string_view::npos) parsed.frames = line.substr(thread_end + 1);
  return parsed;
}

// "FILE:FUNCTION:LINE"; a file may have colons, and entries that are not frames have no line (":GC:").
struct AustinFrame {
  std::string_view file, function, line;
};
std::optional<AustinFrame> SplitFrame(std::string_view text) {
  const size_t last = text.rfind(':');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const size_t first = text.rfind(':', last - 1);
  if (first == std::string_view::npos) return std::nullopt;
  return AustinFrame{text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1)};
}

// The text of austin (P403n1x87/austin) 2 to 3, and what mojo2austin writes:
//     # mode: wall
//     P8374;T0:8374;FILE:FUNCTION:LINE;… 12903
// root first; the weight is a time in µs or memory in bytes, in the mode full "TIME,IDLE,MEMORY". See AustinSamples for
// the events.
class AustinTextReader {
 public:
  explicit AustinTextReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    if (line.empty()) return {};
    if (line.starts_with("# ")) {
      const size_t colon = line.find(": ");
      if (colon != std::string_view::npos)
        samples_.SetMetadata(line.substr(2, colon - 2), Trim(line.substr(colon + 2)));
      return {};
    }
    const std::optional<AustinLine> parsed = ParseLine(line);
    AustinMetrics metrics;
    bool is_sample = parsed.has_value();
    if (is_sample) {
      const std::vector<std::string_view> numbers = Split(parsed->weight, ',');
      const auto number = [&](size_t i) {
        const std::optional<int64_t> value = ParseInteger(numbers[i]);
        is_sample = is_sample && value;
        return value.value_or(0);
      };
      if (numbers.size() == 3 && samples_.HasAll()) {
        metrics = {.micros = number(0), .bytes = number(2), .is_idle = number(1) != 0};
      } else if (numbers.size() == 1) {
        (samples_.HasTime() ? metrics.micros : metrics.bytes) = number(0);
      } else {
        is_sample = false;
      }
    }
    if (!is_sample) {
      return builder_->Damaged(fmt::format("line {}: expected P1;T2;FILE:FUNCTION:LINE;…, a space and {}, found '{}'",
                                           line_number_, samples_.HasAll() ? "TIME,IDLE,MEMORY" : "a number",
                                           line.substr(0, 60)));
    }
    StackId stack = 0;
    for (std::string_view rest = parsed->frames; !rest.empty();) {
      const size_t end = std::min(rest.find(';'), rest.size());
      stack = builder_->profile().stacks.Push(stack, FrameOf(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    samples_.Add(stack, parsed->process, parsed->thread, 10, metrics);
    return {};
  }

 private:
  FrameId FrameOf(std::string_view text) {
    return frames_.Get(text, [&](std::string_view unknown) {
      const std::optional<AustinFrame> frame = SplitFrame(unknown);
      if (!frame) return builder_->AddFrame(unknown);
      if (frame->file.empty() && frame->line.empty()) return samples_.SpecialFrame(frame->function);
      return samples_.FrameOf(frame->file, frame->function, ParseInteger(frame->line).value_or(0));
    });
  }

  ProfileBuilder* builder_;
  AustinSamples samples_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
};

}  // namespace

bool LooksLikeAustinText(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    if (line.starts_with("# austin: ")) return true;
    if (line.empty() || line.starts_with('#')) continue;
    const std::optional<AustinLine> parsed = ParseLine(line);
    if (!parsed || parsed->frames.empty() || parsed->thread.empty()) return false;
    const std::optional<AustinFrame> frame = SplitFrame(parsed->frames.substr(0, parsed->frames.find(';')));
    return frame && IsDigits(frame->line);
  }
  return false;
}

Result<void> ReadAustinText(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<AustinTextReader>(std::move(source), builder);
}

}  // namespace sparkprof
