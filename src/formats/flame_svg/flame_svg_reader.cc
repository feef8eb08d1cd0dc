// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/text/characters.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/value_unit.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxSvg = size_t{1} << 30;

// A frame of a flame graph in SVG. Positions are in pixels or percent, or weights where the file has them.
struct SvgFrame {
  std::string name;
  double left = 0, right = 0, top = 0;
  int64_t weight = 0;
  int64_t count = 0;  // samples
};

struct SvgFrames {
  std::vector<SvgFrame> frames;
  std::string unit;         // unit of weights: "samples", "ns"
  uint64_t unreadable = 0;  // titles with a rectangle but without a number
};

// The value of an attribute in a tag, such as `<rect x="1" width="2"`; nullopt without it.
std::optional<std::string_view> SvgAttribute(std::string_view tag, std::string_view name) {
  for (size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const size_t open = at + name.size() + 1;
    if (at == 0 || (tag[at - 1] != ' ' && tag[at - 1] != '\n') || open >= tag.size() || tag[open - 1] != '=' ||
        (tag[open] != '"' && tag[open] != '\'')) {
      continue;
    }
    const size_t close = tag.find(tag[open], open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    return tag.substr(open + 1, close - open - 1);
  }
  return std::nullopt;
}

constexpr std::string_view kTitleElement = "<title>", kTitleEnd = "</title>";

double RealAt(std::string_view tag, std::string_view name) {
  double real = 0;
  if (const std::optional<std::string_view> text = SvgAttribute(tag, name)) {
    std::from_chars(text->data(), text->data() + text->size(), real);
  }
  return std::isfinite(real) ? real : 0;
}

std::optional<int64_t> IntegerIn(std::string_view tag, std::string_view name) {
  const std::optional<std::string_view> text = SvgAttribute(tag, name);
  int64_t integer = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), integer).ec != std::errc())
    return std::nullopt;
  return integer;
}

// A number and its unit, "1,234 samples".
struct Amount {
  int64_t number = 0;
  std::string_view unit;
};

// The last amount of "1,234 samples, 12.34%" and "1.2 s, 3 samples, 0.1%; +0.2%".
std::optional<Amount> AmountOf(std::string_view text) {
  text = text.substr(0, text.find(';'));
  const size_t share = text.rfind(", ");
  if (share == std::string_view::npos) return std::nullopt;
  text = text.substr(0, share);
  const size_t before = text.rfind(", ");
  if (before != std::string_view::npos) text.remove_prefix(before + 2);
  const size_t blank = text.find(' ');
  Amount amount{.unit = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1)};
  text = text.substr(0, blank);
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  for (const char c : text) {
    if (c == ',') continue;
    if (!IsDigit(c)) break;
    if (__builtin_mul_overflow(amount.number, 10, &amount.number)) return std::nullopt;
    AddSaturated(c - '0', &amount.number);
  }
  return amount;
}

// The frames of `svg`, in its order.
SvgFrames FindSvgFrames(std::string_view svg) {
  SvgFrames found;
  size_t at = svg.find(kTitleElement);
  while (at != std::string_view::npos) {
    const size_t begin = at + kTitleElement.size(), end = svg.find(kTitleEnd, begin);
    if (end == std::string_view::npos) break;
    at = svg.find(kTitleElement, end);
    const std::string_view title = svg.substr(begin, end - begin);
    const std::string_view behind = svg.substr(end, at == std::string_view::npos ? at : at - end);
    const size_t tag = behind.find("<rect");
    if (tag == std::string_view::npos) continue;
    const std::string_view rect = behind.substr(tag, behind.find('>', tag) - tag);
    const size_t open = title.rfind(" (");
    const std::optional<Amount> amount = open != std::string_view::npos && title.ends_with(')')
                                             ? AmountOf(title.substr(open + 2, title.size() - open - 3))
                                             : std::nullopt;
    if (!amount) {
      ++found.unreadable;
      continue;
    }
    SvgFrame frame{.name = UnescapeXml(title.substr(0, open)), .top = RealAt(rect, "y")};
    frame.weight = frame.count = amount->number;
    if (found.unit.empty()) found.unit = std::string(amount->unit);
    std::optional<int64_t> start = IntegerIn(rect, "fg:x"), width = IntegerIn(rect, "fg:w");
    if (!start || !width) {
      start = IntegerIn(rect, "data-x");
      width = IntegerIn(rect, "data-w");
      if (start && width) frame.weight = *width;
    }
    frame.left = start && width ? static_cast<double>(*start) : RealAt(rect, "x");
    frame.right = frame.left + (start && width ? static_cast<double>(*width) : RealAt(rect, "width"));
    found.frames.push_back(std::move(frame));
  }
  return found;
}

// A frame in its row of the picture.
struct PlacedFrame {
  const SvgFrame* frame;
  int64_t row = 0;  // 0 = root
  StackId stack = 0;
  int64_t rest = 0;  // weight without callees
  int64_t rest_count = 0;
};

// Flame graphs as SVG, by sparkprof, flamegraph.pl and inferno: each frame is a <title>NAME (NUMBER UNIT,
// SHARE)</title> and a <rect>. Its caller is the frame in the next row below it (above it, if inverted).
// Exact positions and weights are attributes in files of sparkprof (data-x, data-w) and inferno (fg:x, fg:w); others
// give the numbers of titles. Frames too narrow to be drawn count for their callers; a note reports them if
// the file does.
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
    sample_.event = builder_->AddEvent(event ? UnescapeXml(*event) : std::string(EventOfUnit(unit_.name)), unit_.name);
  }

  // Numbers the rows from that of the root, which is the widest frame at the top or at the bottom.
  void Place(const std::vector<SvgFrame>& frames) {
    std::vector<double> tops;
    for (const SvgFrame& frame : frames) tops.push_back(frame.top);
    std::sort(tops.begin(), tops.end());
    tops.erase(std::unique(tops.begin(), tops.end()), tops.end());
    double height = 0;  // row height; rounding moves frames by less than half of it
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
    sample_.weight = MultiplySaturated(placed.rest, unit_.scale);
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
  const Result<std::string> svg = ReadWhole(source.get(), kMaxSvg, builder);
  if (!svg) return tl::unexpected(svg.error());
  if (svg->find("</svg>") == std::string::npos) {
    const std::string what = fmt::format("offset {}: expected </svg>, found the end of the input", svg->size());
    if (Result<void> kept = builder->Damaged(what); !kept) return kept;
  }
  Result<void> read = FlameSvgReader(builder).Read(*svg);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeFlameSvg(std::string_view head) {
  head = FromRootElement(head);
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  if (!has("<svg")) return false;
  if (has("func_g") || has("id=\"frames\"")) return true;
  // Other pages have icons in SVG.
  return head.starts_with("<svg") && (has("Flame Graph") || has("lame graph"));
}

}  // namespace sparkprof
