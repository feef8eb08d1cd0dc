// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/text.h"
#include "formats/collapsed/collapsed_reader.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/text_cache.h"
#include "formats/value_unit.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

constexpr std::string_view kProfileTitle = "--- Execution profile ---";

// "--- 8208 bytes (19.58%), 2 samples".
struct StackHeader {
  int64_t weight = 0;
  std::string_view unit;
  int64_t samples = 0;
};
std::optional<StackHeader> ParseHeader(std::string_view line) {
  const size_t share = line.find(" ("), comma = line.rfind("), ");
  if (!line.starts_with("--- ") || share == std::string_view::npos || comma == std::string_view::npos ||
      comma < share) {
    return std::nullopt;
  }
  const std::string_view weight = line.substr(4, share - 4), samples = line.substr(comma + 3);
  const size_t blank = weight.find(' ');
  const std::optional<int64_t> number = ParseInteger(weight.substr(0, blank));
  const std::optional<int64_t> count = ParseInteger(samples.substr(0, samples.find(' ')));
  if (!number || !count || blank == std::string_view::npos) return std::nullopt;
  return StackHeader{*number, weight.substr(blank + 1), *count};
}

// "  [ 0] byte[]"; nullopt for another line.
std::optional<std::string_view> ParseFrame(std::string_view line) {
  if (!line.starts_with("  [")) return std::nullopt;
  const size_t end = line.find("] ");
  if (end == std::string_view::npos || !ParseInteger(Trim(line.substr(3, end - 3)))) return std::nullopt;
  return line.substr(end + 2);
}

// The text that async-profiler 1 to 4 prints (-o traces=N, the default without an extension):
//     --- 8208 bytes (19.58%), 2 samples
//       [ 0] byte[]
//       [ 1] java.util.jar.Manifest.read
// leaf first. It has only the N heaviest stacks; the table of methods below them (flat=N) is skipped.
class AsprofTextReader {
 public:
  explicit AsprofTextReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    if (in_stack_) {
      if (const std::optional<std::string_view> frame = ParseFrame(line)) {
        leaf_first_.push_back(
            frames_.Get(*frame, [&](std::string_view name) { return builder_->AddFrame(name, KindOfEnding(name)); }));
        return {};
      }
      EndStack();
    }
    if (!line.starts_with("--- ") || line == kProfileTitle) return {};
    const std::optional<StackHeader> header = ParseHeader(line);
    if (!header) {
      return builder_->Damaged(fmt::format("line {}: expected --- NUMBER UNIT (SHARE%), NUMBER samples, found '{}'",
                                           line_number_, line.substr(0, 60)));
    }
    const ValueUnit unit = UnitOf(header->unit);
    sample_ = {.event = builder_->AddEvent(EventOfUnit(unit.name), unit.name),
               .weight = header->weight,
               .count = header->samples};
    leaf_first_.clear();
    in_stack_ = has_stacks_ = true;
    return {};
  }

  Result<void> Finish() {
    EndStack();
    if (has_stacks_) return {};
    return builder_->Damaged(
        fmt::format("line {}: expected call stacks; have async-profiler print them with traces=N", line_number_));
  }

 private:
  void EndStack() {
    if (!in_stack_) return;
    in_stack_ = false;
    sample_.stack = builder_->AddLeafFirst(leaf_first_);
    builder_->Add(sample_);
  }

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool has_stacks_ = false;
  bool in_stack_ = false;
  Sample sample_;
  std::vector<FrameId> leaf_first_;
  TextCache<FrameId> frames_;
};

}  // namespace

bool LooksLikeAsprofText(std::string_view head) {
  bool after_header = false;
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    if (line == kProfileTitle || (after_header && ParseFrame(line))) return true;
    after_header = ParseHeader(line).has_value();
  }
  return false;
}

Result<void> ReadAsprofText(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<AsprofTextReader>(std::move(source), builder);
}

}  // namespace sparkprof
