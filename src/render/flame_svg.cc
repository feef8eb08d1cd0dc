// SPDX-License-Identifier: Apache-2.0
#include "render/flame_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/frame_origin.h"
#include "base/text.h"
#include "render/embedded_file.h"
#include "render/frame_color.h"
#include "render/weight_text.h"

namespace sparkprof {
namespace {

constexpr double kImageWidth = 1200;
constexpr double kSidePadding = 10;
constexpr double kGraphWidth = kImageWidth - 2 * kSidePadding;
constexpr double kTopPadding = 76;  // title, subtitle, the frame pointed at
constexpr double kBottomPadding = 10;
constexpr double kDetailsBaseline = 66;
constexpr double kFrameHeight = 16;
constexpr double kMinFrameWidth = 0.3;
constexpr double kFontSize = 12;
constexpr double kCharacterWidth = 0.59;  // of the font size; the script uses the same

constexpr const char* kStyle = R"(
  text { font-family: Verdana, "DejaVu Sans", sans-serif; font-size: 12px; fill: #000; }
  svg > rect { fill: #fff; }
  #title { font-size: 17px; text-anchor: middle; }
  #subtitle { text-anchor: middle; fill: #555; }
  .button { cursor: pointer; fill: #555; }
  .button:hover, .button:focus { fill: #000; text-decoration: underline; }
  .hidden { display: none; }
  #frames > g { cursor: pointer; }
  #frames > g:hover rect, #frames > g:focus rect { stroke: #000; stroke-width: 0.7; }
  #frames > g.above { opacity: 0.5; }
  #frames > g.match rect { fill: #e600e6; }
  #frames text { pointer-events: none; }
)";

// "org.apache.spark.rdd.RDD.iterator" without its package; other names as they are.
std::string_view WithoutPackage(std::string_view label) {
  if (label.find_first_of(" :/(") != std::string_view::npos) return label;
  const size_t method = label.rfind('.');
  if (method == std::string_view::npos || method == 0) return label;
  const size_t type = label.rfind('.', method - 1);
  return type == std::string_view::npos ? label : label.substr(type + 1);
}

// The label as it fits into `width`: whole, without its package, or cut with ".." at the end. The script does the same.
std::string Fit(std::string_view label, double width) {
  const auto room = static_cast<size_t>(std::max(0.0, (width - 6) / (kFontSize * kCharacterWidth)));
  if (room < 3) return {};
  if (label.size() > room) label = WithoutPackage(label);
  if (label.size() <= room) return std::string(label);
  size_t length = room - 2;
  while (length > 0 && (static_cast<unsigned char>(label[length]) & 0xC0) == 0x80) --length;
  return fmt::format("{}..", label.substr(0, length));
}

class SvgWriter {
 public:
  SvgWriter(const Application& application, const FlameTree& tree, const FlameSvgOptions& options)
      : application_(application), tree_(tree), options_(options) {}

  std::string Render() {
    Choose();
    Head();
    for (const uint32_t row : visible_) AddFrame(row);
    return std::move(text_) + "</g>\n</svg>\n";
  }

 private:
  double Scale() const { return tree_.Total() > 0 ? kGraphWidth / static_cast<double>(tree_.Total()) : 0; }

  // The rows that are wide enough, and where each begins.
  void Choose() {
    start_.resize(tree_.nodes.size());
    std::vector<int64_t> next(tree_.nodes.size());
    for (uint32_t row = 0; row < tree_.nodes.size();) {
      const FlameNode& node = tree_.nodes[row];
      if (row > 0) {
        start_[row] = next[node.parent];
        next[node.parent] += node.total;
      }
      next[row] = start_[row];
      if (static_cast<double>(node.total) * Scale() < kMinFrameWidth && row > 0) {
        left_out_ += node.end - row;
        row = node.end;
        continue;
      }
      visible_.push_back(row);
      deepest_ = std::max(deepest_, node.depth);
      ++row;
    }
  }

  double Height() const { return kTopPadding + (deepest_ + 1) * kFrameHeight + kBottomPadding; }

  void Head() {
    std::string subtitle = options_.subtitle;
    if (left_out_ > 0) {
      subtitle += fmt::format("{}{} narrow frames not drawn", subtitle.empty() ? "" : " · ", left_out_);
    }
    auto out = std::back_inserter(text_);
    fmt::format_to(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
                   "<svg version=\"1.1\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                   "xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title subtitle\">\n",
                   kImageWidth, Height());
    fmt::format_to(
        out,
        "<desc>Flame graph by sparkprof. A frame's width is its share of {}; callees are below their callers.</desc>\n",
        EscapeXml(EventLabel(options_.event)));
    fmt::format_to(out, "<style type=\"text/css\">{}</style>\n", kStyle);
    fmt::format_to(out, "<script type=\"text/javascript\"><![CDATA[\n{}]]></script>\n", FlameSvgScript());
    fmt::format_to(out, "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\"/>\n");
    fmt::format_to(out, "<text id=\"title\" x=\"{}\" y=\"26\">{}</text>\n", kImageWidth / 2, EscapeXml(options_.title));
    fmt::format_to(out, "<text id=\"subtitle\" x=\"{}\" y=\"46\">{}</text>\n", kImageWidth / 2, EscapeXml(subtitle));
    fmt::format_to(out,
                   "<text id=\"reset\" class=\"button hidden\" role=\"button\" tabindex=\"0\" x=\"{}\" y=\"26\">Reset "
                   "zoom</text>\n",
                   kSidePadding);
    fmt::format_to(
        out, "<text id=\"search\" class=\"button\" role=\"button\" tabindex=\"0\" x=\"{}\" y=\"26\">Search</text>\n",
        kImageWidth - kSidePadding - 60);
    fmt::format_to(out, "<text id=\"details\" x=\"{}\" y=\"{}\"></text>\n", kSidePadding, kDetailsBaseline);
    fmt::format_to(out, "<text id=\"matched\" text-anchor=\"end\" x=\"{}\" y=\"{}\"></text>\n",
                   kImageWidth - kSidePadding, kDetailsBaseline);
    text_ += "<g id=\"frames\">\n";
  }

  void AddFrame(uint32_t row) {
    const FlameNode& node = tree_.nodes[row];
    const FlameFunction& function = tree_.functions[node.function];
    const std::string label = row == 0 ? "all" : FunctionLabel(application_, function);
    const double share = tree_.Total() > 0 ? static_cast<double>(node.total) / static_cast<double>(tree_.Total()) : 1;
    const double x = kSidePadding + static_cast<double>(start_[row]) * Scale();
    const double width = row == 0 ? kGraphWidth : static_cast<double>(node.total) * Scale();
    const double y = kTopPadding + node.depth * kFrameHeight;
    const FrameOrigin origin =
        OriginOf(application_.strings.Get(function.name), application_.strings.Get(function.file), function.kind);
    auto out = std::back_inserter(text_);
    fmt::format_to(out, "<g><title>{} ({}, {} samples, {})</title>", EscapeXml(label),
                   FormatWeight(options_.event, node.total), node.count, FormatShare(share));
    fmt::format_to(out, "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>", x, y, width,
                   kFrameHeight - 1, FrameColor(application_.strings.Get(function.name), function.kind, origin));
    // The script adds the text of frames that become wide enough when they are zoomed.
    if (const std::string text = Fit(label, width); !text.empty()) {
      fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\">{}</text>", x + 3, y + 11.5, EscapeXml(text));
    }
    text_ += "</g>\n";
  }

  const Application& application_;
  const FlameTree& tree_;
  const FlameSvgOptions& options_;
  std::string text_;
  std::vector<int64_t> start_;     // weight to the left of each row
  std::vector<uint32_t> visible_;  // rows
  uint32_t deepest_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace

std::string RenderFlameSvg(const Application& application, const FlameTree& tree, const FlameSvgOptions& options) {
  return SvgWriter(application, tree, options).Render();
}

}  // namespace sparkprof
