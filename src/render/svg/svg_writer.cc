// SPDX-License-Identifier: Apache-2.0
#include "render/svg/svg_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/saturate.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"
#include "profiles/stack_tree.h"
#include "render/report/embedded_file.h"
#include "render/svg/flame_layout.h"
#include "render/svg/palette.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

constexpr double kSidePadding = 10;
constexpr double kFramePadding = 1;
constexpr double kFontSize = 12;  // kStyle has it too
constexpr double kCharacterWidth = kFontSize * 0.59;

// The label without suffixes of perf and async-profiler.
std::string_view WithoutEnding(std::string_view label) {
  if (label.size() > 4 && label.back() == ']' && label.substr(label.size() - 4, 2) == "_[" &&
      std::string_view("kwij").find(label[label.size() - 2]) != std::string_view::npos) {
    label.remove_suffix(4);
  }
  return label;
}

// The part of the label that fits into `width`; ends in ".." if truncated.
std::string Fit(std::string_view label, double width, double character_width) {
  const auto room = static_cast<size_t>(std::max(0.0, width / character_width));
  if (room < 3) return {};
  if (label.size() <= room) return std::string(label);
  return fmt::format("{}..", CutUtf8(label, room - 2));
}

// Rounds a coordinate as flamegraph.pl prints it, and as it is read back.
double Rounded(double value) { return std::round(value * 10) / 10; }

class SvgWriter {
 public:
  SvgWriter(const Profile& profile, EventId event, std::optional<EventId> base_event, const SvgOptions& options,
            OutputFile* output)
      : profile_(profile),
        event_(profile.events[event]),
        differential_(base_event.has_value()),
        options_(options),
        total_(std::max(WeightOf(profile, event), options.total)),
        scale_((options.width - 2 * kSidePadding) / std::max(total_, 1.0)),
        tree_(BuildStackTree(profile, event, base_event, LeastWeight())),
        layout_(options.flame_chart ? LayOutFlameChart(profile, event, LeastWeight(), options.max_depth)
                                    : LayOutFlame(profile, tree_, LeastWeight(), options.max_depth)),
        palette_(ChoosePalette()),
        top_padding_(kFontSize * (options.subtitle.empty() ? 3 : 5)),
        bottom_padding_(kFontSize * 2 + 10),
        height_((layout_.deepest + 1) * options.frame_height + top_padding_ + bottom_padding_),
        output_(output) {}

  void Write() {
    Head();
    const std::vector<bool> wakers = palette_ == Palette::kChain ? Wakers() : std::vector<bool>();
    for (const FlameRect& rect : layout_.rects) AddFrame(rect, !wakers.empty() && wakers[rect.stack]);
    output_->Append("</g>\n</svg>\n");
  }

 private:
  static double WeightOf(const Profile& profile, EventId event) {
    int64_t weight = 0;
    for (const Sample& sample : profile.samples) {
      if (sample.event == event) AddSaturated(sample.weight, &weight);
    }
    return static_cast<double>(weight);
  }

  double LeastWeight() const {
    if (total_ <= 0) return 0;
    return options_.min_width_is_percent ? total_ * options_.min_width / 100 : options_.min_width / scale_;
  }

  Palette ChoosePalette() const {
    if (options_.palette) return *options_.palette;
    for (FrameId id = 1; id < profile_.frames.Size(); ++id) {
      if (profile_.frames.Get(id).kind != FrameKind::kUnknown) return Palette::kOrigin;
    }
    return Palette::kHot;
  }

  // Stacks with "--" below them, which are the wakers in a chain graph.
  std::vector<bool> Wakers() const {
    std::vector<bool> wakers(profile_.stacks.Size());
    for (StackId id = 1; id < wakers.size(); ++id) {
      const StackId parent = profile_.stacks.Get(id).parent;
      wakers[id] = wakers[parent] || tree_.labels[profile_.stacks.Get(parent).frame] == "--";
    }
    return wakers;
  }

  std::string Amount(double exact_weight, int64_t count) const {
    const auto weight = static_cast<int64_t>(std::llround(std::min(exact_weight * options_.factor, 9e18)));
    if (!options_.count_name.empty()) return fmt::format("{} {}", WithCommas(weight), options_.count_name);
    if (event_.unit == "ns") return fmt::format("{}, {} samples", FormatDuration(weight), count);
    if (event_.unit == "bytes") return fmt::format("{}, {} samples", FormatBytes(weight), count);
    return fmt::format("{} samples", WithCommas(weight));
  }

  std::string Share(double share, bool is_root) const {
    if (options_.count_name.empty() && event_.unit != "count") return FormatShare(share);
    return is_root ? "100%" : fmt::format("{:.2f}%", share * 100);
  }

  void Text(std::string_view id, double x, double y, std::string_view text, std::string_view attributes = {}) {
    output_->Append(fmt::format("<text id=\"{}\" x=\"{:.2f}\" y=\"{}\"{}{}>{}</text>\n", id, x, y,
                                attributes.empty() ? "" : " ", attributes, text));
  }

  std::string LeftOut() const {
    return fmt::format("{} {} frames not drawn", layout_.left_out, layout_.is_cut ? "narrow or deep" : "narrow");
  }

  void Head() {
    const Background background = options_.background.value_or(BackgroundOf(palette_));
    const char* const graph = options_.flame_chart ? "Flame Chart" : options_.inverted ? "Icicle Graph" : "Flame Graph";
    const std::string title = options_.title.empty() ? graph : options_.title;
    output_->Append(fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
        "<svg version=\"1.1\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" aria-labelledby=\"title\" aria-describedby=\"about\" "
        "data-inverted=\"{2}\" data-name-type=\"{3}\" data-character-width=\"{4}\" data-event=\"{6}\" "
        "data-unit=\"{7}\"{5}>\n",
        options_.width, height_, options_.inverted ? 1 : 0, EscapeXml(options_.name_type), kCharacterWidth,
        options_.highlight.empty() ? "" : fmt::format(" data-highlight=\"{}\"", EscapeXml(options_.highlight)),
        EscapeXml(event_.name), EscapeXml(event_.unit)));
    std::string about = fmt::format("Flame graph by sparkprof. The width of a frame is its share of {}.", event_.name);
    if (layout_.left_out > 0) about += fmt::format(" {}.", LeftOut());
    if (!options_.notes.empty()) about += " " + options_.notes;
    output_->Append(fmt::format("<desc id=\"about\">{}</desc>\n", EscapeXml(about)));
    output_->Append(
        fmt::format("<defs><linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">"
                    "<stop class=\"upper\" stop-color=\"{}\" offset=\"5%\"/><stop class=\"lower\" stop-color=\"{}\" "
                    "offset=\"95%\"/>"
                    "</linearGradient></defs>\n",
                    background.upper, background.lower));
    output_->Append(kStyle);
    output_->Append(fmt::format("<script type=\"text/javascript\"><![CDATA[\n{}]]></script>\n", FlameSvgScript()));
    output_->Append(
        fmt::format("<rect x=\"0.0\" y=\"0.0\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"url(#background)\"/>\n",
                    options_.width, height_));
    const double first_line = kFontSize * 2, last_line = height_ - bottom_padding_ / 2;
    const double right = options_.width - kSidePadding - 100;
    Text("title", std::floor(options_.width / 2), first_line, EscapeXml(title));
    if (!options_.subtitle.empty()) {
      Text("subtitle", std::floor(options_.width / 2), kFontSize * 4, EscapeXml(options_.subtitle));
    }
    Text("details", kSidePadding, last_line, layout_.left_out > 0 ? LeftOut() : " ");
    Text("unzoom", kSidePadding, first_line, "Reset Zoom", "class=\"button hide\" role=\"button\" tabindex=\"0\"");
    Text("search", right, first_line, "Search", "class=\"button\" role=\"button\" tabindex=\"0\"");
    Text("ignorecase", options_.width - kSidePadding - 16, first_line, "ic",
         "class=\"button\" role=\"button\" tabindex=\"0\" aria-pressed=\"false\" aria-label=\"Ignore case\"");
    Text("matched", right, last_line, " ", "role=\"status\"");
    output_->Append("<g id=\"frames\">\n");
  }

  std::string Color(const FlameRect& rect, FrameId frame, std::string_view label, bool is_waker) const {
    if (label == "--") return "rgb(160,160,160)";
    if (label == "-") return "rgb(200,200,200)";
    if (differential_) {
      return ChangeColor(options_.negate ? -rect.change : rect.change, layout_.largest_change);
    }
    if (palette_ == Palette::kOrigin) {
      const Frame& of = profile_.frames.Get(frame);
      const std::string_view name = profile_.strings.Get(of.name);
      return FrameColor(name, of.kind, OriginOf(name, profile_.strings.Get(of.file), of.kind));
    }
    return PaletteColor(palette_, options_.color_by, label, is_waker);
  }

  void AddFrame(const FlameRect& rect, bool is_waker) {
    const bool is_root = rect.stack == 0;
    const FrameId frame = profile_.stacks.Get(rect.stack).frame;
    const std::string& full_label = tree_.labels[frame];
    const std::string_view label = is_root ? "all" : WithoutEnding(full_label);
    const double total = std::max(total_, 1.0), width = is_root ? total_ : static_cast<double>(rect.width);
    const double left = kSidePadding + static_cast<double>(rect.start) * scale_;
    const double right =
        is_root ? options_.width - kSidePadding : kSidePadding + static_cast<double>(rect.start + rect.width) * scale_;
    const double upper = options_.inverted
                             ? top_padding_ + rect.depth * options_.frame_height
                             : height_ - bottom_padding_ - (rect.depth + 1) * options_.frame_height + kFramePadding;
    const double lower = upper + options_.frame_height - kFramePadding;
    const double share = total_ > 0 ? width / total : 1;
    std::string amount = fmt::format("{}, {}", Amount(width, rect.count), Share(share, is_root));
    if (differential_ && !is_root) {
      const double change = static_cast<double>(options_.negate ? -rect.change : rect.change) * 100 / total;
      amount += fmt::format("; {}{:.2f}%", change > 0 ? "+" : "", change);
    }
    auto out = std::back_inserter(text_);
    text_.clear();
    fmt::format_to(out, "<g><title>{} ({})</title>", EscapeXml(label), amount);
    // The width is that of the rounded edges, so that neighbors touch. data-x and data-w are exact: weights that are
    // read back (src/formats/flame_svg).
    fmt::format_to(out,
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" rx=\"2\" ry=\"2\" "
                   "data-x=\"{}\" data-w=\"{}\"/>",
                   left, upper, Rounded(right) - Rounded(left), lower - upper,
                   Color(rect, frame, is_root ? std::string_view() : full_label, is_waker), rect.start, rect.width);
    // The script adds the text of frames that become wide enough when they are zoomed.
    if (const std::string text = Fit(label, right - left, kCharacterWidth); !text.empty()) {
      fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{}\">{}</text>", left + 3, 3 + (upper + lower) / 2, EscapeXml(text));
    }
    text_ += "</g>\n";
    output_->Append(text_);
  }

  static constexpr const char* kStyle = R"(<style type="text/css">
  text { font-family: Verdana, "DejaVu Sans", sans-serif; font-size: 12px; fill: #000; }
  #title { text-anchor: middle; font-size: 17px; }
  #subtitle { text-anchor: middle; fill: #555; }
  #matched, #details { pointer-events: none; }
  .button { cursor: pointer; opacity: 0.6; }
  .button:hover, .button:focus, .show { opacity: 1; }
  .hide { display: none; }
  #frames > g { cursor: pointer; outline: none; }
  #frames > g:hover rect, #frames > g:focus rect { stroke: #000; stroke-width: 0.7; }
  #frames > g.above { opacity: 0.5; }
  #frames > g.match rect { fill: #e600e6; }
  #frames text { pointer-events: none; }
  @media (prefers-color-scheme: dark) {
    svg { background: #202124; }
    #background .upper, #background .lower { stop-color: #202124; }
    svg > text { fill: #e8eaed; }
    #subtitle { fill: #9aa0a6; }
    #frames > g:hover rect, #frames > g:focus rect { stroke: #fff; }
  }
</style>
)";

  const Profile& profile_;
  const ProfileEvent& event_;
  const bool differential_;
  const SvgOptions& options_;
  const double total_;  // weight of the full width
  const double scale_;  // pixels per unit of weight
  const StackTree tree_;
  const FlameLayout layout_;
  const Palette palette_;
  const double top_padding_, bottom_padding_;
  const double height_;
  OutputFile* output_;
  std::string text_;
};

}  // namespace

void WriteFlameSvg(const Profile& profile, EventId event, std::optional<EventId> base_event, const SvgOptions& options,
                   OutputFile* output) {
  SvgWriter(profile, event, base_event, options, output).Write();
}

}  // namespace sparkprof
