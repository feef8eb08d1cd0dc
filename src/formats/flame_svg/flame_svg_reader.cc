// SPDX-License-Identifier: Apache-2.0
#include "formats/flame_svg/flame_svg_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/text.h"
#include "formats/flame_svg/svg_frames.h"
#include "formats/value_unit.h"
#include "model/default_event.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxSvg = size_t{1} << 30;

// A frame in its row of the picture.
struct PlacedFrame {
  const SvgFrame* frame;
  int64_t row = 0;  // 0 = root
  StackId stack = 0;
  int64_t rest = 0;  // of the weight, without the callees
  int64_t rest_count = 0;
};

class FlameSvgReader {
 public:
  explicit FlameSvgReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Read(std::string_view svg) {
    const SvgFrames found = FindSvgFrames(svg);
    if (found.frames.empty()) return builder_->Damaged("offset 0: expected frames with titles in an SVG, found none");
    AddEvent(svg.substr(0, svg.find('>', svg.find("<svg"))), found);
    Place(found.frames);
    const uint64_t lost = ConnectAll();
    for (const PlacedFrame& placed : frames_) Add(placed);
    NoteWhatIsMissing(svg);
    const uint64_t skipped = found.unreadable + lost;
    if (skipped == 0) return {};
    return builder_->Damaged(fmt::format(
        "offset 0: expected a frame with a caller and a title NAME (NUMBER UNIT, SHARE), found {} others", skipped));
  }

 private:
  // sparkprof names event and unit; for others the unit of the titles is that of a weight.
  void AddEvent(std::string_view root_tag, const SvgFrames& found) {
    const std::optional<std::string_view> event = SvgAttribute(root_tag, "data-event"),
                                          unit = SvgAttribute(root_tag, "data-unit");
    unit_ = UnitOf(unit.value_or(found.unit));
    const std::string_view by_unit = unit_.name == "ns" ? "wall" : unit_.name == "bytes" ? "alloc" : "samples";
    sample_.event = builder_->AddEvent(event ? UnescapeXml(*event) : std::string(by_unit), unit_.name);
  }

  // Numbers the rows from that of the root, which is the widest frame at the top or at the bottom.
  void Place(const std::vector<SvgFrame>& frames) {
    std::vector<double> tops;
    for (const SvgFrame& frame : frames) tops.push_back(frame.top);
    std::sort(tops.begin(), tops.end());
    tops.erase(std::unique(tops.begin(), tops.end()), tops.end());
    double height = 0;  // of a row; rounding moves frames by less than half of it
    for (size_t i = 1; i < tops.size(); ++i) {
      const double distance = tops[i] - tops[i - 1];
      if (distance >= 1 && (height == 0 || distance < height)) height = distance;
    }
    if (height == 0) height = 1;
    const auto widest_at = [&](double top) {
      double width = 0;
      for (const SvgFrame& frame : frames) {
        if (frame.top == top) width = std::max(width, frame.right - frame.left);
      }
      return width;
    };
    const double first = tops.front(), last = tops.back();
    const bool is_inverted =
        widest_at(first) > widest_at(last) || (first != last && HasRoot(frames, first) && !HasRoot(frames, last));
    const double root = is_inverted ? first : last;
    for (const SvgFrame& frame : frames) {
      const double row = std::abs(frame.top - root) / height;
      frames_.push_back({.frame = &frame, .row = row < 1e6 ? std::llround(row) : 1'000'000});
      frames_.back().rest = frame.weight;
      frames_.back().rest_count = frame.count;
    }
    std::stable_sort(frames_.begin(), frames_.end(), [](const PlacedFrame& a, const PlacedFrame& b) {
      return a.row != b.row ? a.row < b.row : a.frame->left < b.frame->left;
    });
  }

  static bool HasRoot(const std::vector<SvgFrame>& frames, double top) {
    return std::any_of(frames.begin(), frames.end(),
                       [&](const SvgFrame& frame) { return frame.top == top && frame.name == "all"; });
  }

  // Gives each frame its stack; returns the number of frames without a caller.
  uint64_t ConnectAll() {
    uint64_t lost = 0;
    size_t callers = 0, row_begin = 0;  // [callers, row_begin): the row before
    for (size_t i = 0; i < frames_.size(); ++i) {
      if (i > 0 && frames_[i].row != frames_[i - 1].row) {
        // Above a row without frames, nothing has a caller.
        callers = frames_[i].row == frames_[i - 1].row + 1 ? row_begin : i;
        row_begin = i;
      }
      if (frames_[i].row == 0) continue;
      PlacedFrame* const caller = Caller(*frames_[i].frame, callers, row_begin);
      if (caller == nullptr) {
        ++lost;
        frames_[i].rest = frames_[i].rest_count = 0;
        continue;
      }
      AddSaturated(-frames_[i].frame->weight, &caller->rest);
      AddSaturated(-frames_[i].frame->count, &caller->rest_count);
      const FrameId frame = builder_->AddFrame(frames_[i].frame->name);
      frames_[i].stack = builder_->profile().stacks.Push(caller->stack, frame);
    }
    return lost;
  }

  // The frame of the row [begin, end) that has the middle of `frame`.
  PlacedFrame* Caller(const SvgFrame& frame, size_t begin, size_t end) {
    const double middle = (frame.left + frame.right) / 2;
    const auto first = frames_.begin() + static_cast<ptrdiff_t>(begin),
               last = frames_.begin() + static_cast<ptrdiff_t>(end);
    const auto behind = std::upper_bound(first, last, middle,
                                         [](double at, const PlacedFrame& other) { return at < other.frame->left; });
    if (behind == first) return nullptr;
    PlacedFrame& caller = *(behind - 1);
    constexpr double kRounding = 0.2;
    return middle <= caller.frame->right + kRounding ? &caller : nullptr;
  }

  void Add(const PlacedFrame& placed) {
    if (placed.rest < 0) ++negative_;
    if (placed.row == 0) AddSaturated(std::max<int64_t>(placed.rest, 0), &at_root_);
    if (placed.stack == 0 || placed.rest <= 0) return;
    sample_.stack = placed.stack;
    if (__builtin_mul_overflow(placed.rest, unit_.scale, &sample_.weight)) sample_.weight = INT64_MAX;
    sample_.count = unit_.name == "count" ? sample_.weight : std::max<int64_t>(placed.rest_count, 0);
    builder_->Add(sample_);
  }

  void NoteWhatIsMissing(std::string_view svg) {
    constexpr std::string_view kNotDrawn = " narrow frames not drawn";
    const size_t at = svg.find(kNotDrawn);
    if (at != std::string_view::npos && at > 0) {
      const size_t begin = svg.find_last_not_of("0123456789", at - 1) + 1;
      builder_->Note(
          fmt::format("{}{}; their weight is counted for their callers", svg.substr(begin, at - begin), kNotDrawn));
    }
    if (at_root_ > 0)
      builder_->Note(fmt::format("{} {} in frames that are not drawn skipped", at_root_,
                                 unit_.name == "count" ? "samples" : unit_.name));
    if (negative_ > 0)
      builder_->Note(fmt::format("{} frames weigh less than their callees; rounded positions", negative_));
  }

  ProfileBuilder* builder_;
  ValueUnit unit_;
  Sample sample_;
  std::vector<PlacedFrame> frames_;  // by row, then from left to right
  int64_t at_root_ = 0;              // weight without a stack
  uint64_t negative_ = 0;
};

// A document of XML or HTML from its root element on; empty if `head` has none.
std::string_view FromRootElement(std::string_view head) {
  constexpr std::pair<std::string_view, std::string_view> kBefore[] = {{"<?", "?>"}, {"<!--", "-->"}, {"<!", ">"}};
  while (true) {
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    const auto* const before = std::find_if(std::begin(kBefore), std::end(kBefore),
                                            [&](const auto& one) { return head.starts_with(one.first); });
    if (before == std::end(kBefore)) return head.starts_with('<') ? head : std::string_view();
    const size_t end = head.find(before->second, before->first.size());
    if (end == std::string_view::npos) return {};
    head.remove_prefix(end + before->second.size());
  }
}

}  // namespace

Result<void> ReadFlameSvg(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  std::optional<Error> damage;
  const std::string svg = ReadUpTo(source.get(), kMaxSvg, &damage);
  if (damage) {
    if (Result<void> kept = builder->Damaged(damage->message); !kept) return kept;
  }
  if (svg.find("</svg>") == std::string::npos) {
    const std::string what = fmt::format("offset {}: expected </svg>, found the end of the input", svg.size());
    if (Result<void> kept = builder->Damaged(what); !kept) return kept;
  }
  Result<void> read = FlameSvgReader(builder).Read(svg);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeFlameSvg(std::string_view head) {
  head = FromRootElement(head);
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  if (!has("<svg")) return false;
  if (has("func_g") || has("id=\"frames\"")) return true;
  // The SVG of other pages are their icons.
  return head.starts_with("<svg") && (has("Flame Graph") || has("lame graph"));
}

}  // namespace sparkprof
