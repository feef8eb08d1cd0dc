// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/saturate.h"
#include "base/text/characters.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/value_unit.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLevel = 1 << 16;
constexpr std::string_view kTreeItem = "<li><div";

FrameKind KindOfAsprofType(int64_t type) {
  switch (type) {
    case 0:
      return FrameKind::kInterpreted;
    case 1:
    case 6:  // compiled by C1
      return FrameKind::kJit;
    case 2:
      return FrameKind::kInlined;
    case 3:
    case 4:  // C++
      return FrameKind::kNative;
    case 5:
      return FrameKind::kKernel;
    default:
      return FrameKind::kUnknown;
  }
}

// The value of a string literal of the script.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

// Whether this line marks a page of --reverse: a flame graph's script until 3.0, a call tree's title.
bool IsReverse(std::string_view line) {
  return line == "var reverse = true;" || line == "let reverse = true;" ||
         line.find(">Backtrace view") != std::string_view::npos;
}

// The text between the first and the last quote.
std::optional<std::string_view> Quoted(std::string_view line) {
  const size_t begin = line.find('\''), end = line.rfind('\'');
  if (begin == std::string_view::npos || end == begin) return std::nullopt;
  return line.substr(begin + 1, end - begin - 1);
}

// Flame graphs written by async-profiler as HTML: the calls in its script that draw frames, callers before callees.
// Since 3.0, names are in a pool ("const cpool") in which each entry repeats the start of the previous one, and
//     f(name*8+type,level,left,width,…)
//     u(name*8+type,width,…) one level deeper
//     n(name*8+type,width,…) next to it
// draw them; a missing width is the previous one. Earlier versions use f(level,left,width,type,'name',…). In
// differential graphs (jfrconv --diff), widths are those of the second profile. Also call trees (-o tree), lists of
//     <li><div>[0] 99.47% 1,880 self: 1.00% 20</div><span class="t1"> NAME</span>
// since 3.0 <li><div>99.47% [1,880] …. Numbers are samples unless the script has a unit.
//
// Pages of --reverse have the leaves at the root; their stacks are turned around. Flame graphs since 4.0 do not record
// it: they only record that they are drawn inverted, which may have other reasons.
class AsprofHtmlReader {
 public:
  explicit AsprofHtmlReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (in_pool_) {
      if (line.starts_with('\'')) {
        AddName(line);
        return {};
      }
      in_pool_ = false;
    }
    if (line.size() > 3 && (line[0] == 'f' || line[0] == 'u' || line[0] == 'n') && line[1] == '(' &&
        line.find(')') != std::string_view::npos) {
      return AddFrame(line.substr(2, line.rfind(')') - 2), line[0]);
    }
    line = Trim(line);
    if (line.starts_with("const cpool")) {
      in_pool_ = true;
    } else if (line.starts_with("const units")) {
      unit_ = std::string(Quoted(line).value_or("samples"));
    } else if (IsReverse(line)) {
      is_reversed_ = true;
    } else if (line == "let inverted = true;") {
      is_inverted_ = true;
    } else if (line.starts_with("const maxdiff") && !line.ends_with("-1;")) {
      is_difference_ = true;
    } else if (line.starts_with(kTreeItem)) {
      return AddTreeFrame(line);
    } else if (line.starts_with("<ul")) {
      ++tree_level_;
    } else if (line == "</ul>") {
      if (tree_level_ > 0) --tree_level_;
      is_whole_ = is_whole_ || tree_level_ == 0;
    } else if (line.starts_with("</script>")) {
      is_whole_ = true;
    }
    return {};
  }

  Result<void> Finish() {
    Close(0);
    if (!has_event_) return Expect("a flame graph or call tree of async-profiler, found no frames");
    if (is_difference_) builder_->Note("differential flame graph: read the second profile, without the differences");
    if (is_inverted_) {
      builder_->Note(
          "inverted flame graph: if it was made with --reverse, its stacks begin with the leaf; --reverse turns them "
          "around");
    }
    return is_whole_ ? Result<void>() : Expect("</script> after the frames, found the end of the file");
  }

 private:
  // A frame whose callees are still being read.
  struct OpenFrame {
    StackId stack = 0;  // from the root of the page
    FrameId frame = 0;
    int64_t rest = 0;  // width without callees
  };

  Result<void> Expect(std::string_view what) {
    return builder_->Damaged(fmt::format("line {}: expected {}", line_number_, what));
  }

  void AddName(std::string_view line) {
    const std::optional<std::string_view> quoted = Quoted(line);
    std::string packed = Unescape(quoted.value_or(std::string_view()));
    if (packed.empty()) packed = " ";
    const size_t shared = std::min<size_t>(static_cast<unsigned char>(packed[0]) - ' ', last_name_.size());
    last_name_ = last_name_.substr(0, shared) + packed.substr(1);
    names_.push_back(last_name_);
  }

  void Close(size_t level) {
    while (open_.size() > level) {
      const OpenFrame& frame = open_.back();
      if (frame.rest > 0) builder_->Add({.stack = InnermostStack(), .weight = frame.rest, .count = frame.rest});
      open_.pop_back();
    }
  }

  StackId InnermostStack() {
    if (!is_reversed_) return open_.back().stack;
    StackId stack = 0;
    for (size_t level = open_.size(); level > 1; --level) {
      stack = builder_->profile().stacks.Push(stack, open_[level - 1].frame);
    }
    return stack;
  }

  Result<void> AddFrame(std::string_view call, char function) {
    AddEvent();
    is_whole_ = false;
    std::string name;
    int64_t type = 0;
    size_t level = 0;
    const size_t quote = call.find('\'');
    std::vector<std::string_view> parts = Split(call.substr(0, quote), ',');
    const auto number = [&](size_t i) { return i < parts.size() ? ParseInteger(Trim(parts[i])) : std::nullopt; };
    if (quote != std::string_view::npos) {
      const auto row = number(0), width = number(2), kind = number(3);
      const std::optional<std::string_view> quoted = Quoted(call);
      if (!row || !width || !kind || !quoted) return Expect("f(level,left,width,type,'name')");
      level = static_cast<size_t>(*row);
      width_ = *width;
      type = *kind;
      name = Unescape(*quoted);
    } else {
      const auto key = number(0);
      if (!key || *key < 0 || static_cast<size_t>(*key >> 3) >= names_.size()) return Expect("a name of the pool");
      size_t at_width = 1;
      if (function == 'f') {
        const auto row = number(1);
        if (!row) return Expect("f(name,level,left,width)");
        level = static_cast<size_t>(*row);
        at_width = 3;
      } else {
        level = function == 'u' ? open_.size() : (open_.empty() ? 0 : open_.size() - 1);
      }
      if (parts.size() > at_width) {
        const auto width = number(at_width);
        if (!width) return Expect("a frame's width");
        width_ = *width;
      }
      type = *key & 7;
      name = names_[static_cast<size_t>(*key >> 3)];
    }
    return Open(level, name, KindOfAsprofType(type));
  }

  void AddEvent() {
    if (has_event_) return;
    const ValueUnit unit = UnitOf(unit_);
    builder_->AddEvent(EventOfUnit(unit.name), unit.name);
    has_event_ = true;
  }

  Result<void> Open(size_t level, std::string_view name, FrameKind kind) {
    if (level > open_.size() || level > kMaxLevel || width_ < 0) return Expect("a frame below an earlier frame");
    Close(level);
    OpenFrame frame{.rest = width_};
    if (level > 0) {
      // The root, "all", is not a frame.
      OpenFrame& caller = open_.back();
      AddSaturated(-width_, &caller.rest);
      frame.frame = builder_->AddFrame(name, kind);
      if (!is_reversed_) frame.stack = builder_->profile().stacks.Push(caller.stack, frame.frame);
    }
    open_.push_back(frame);
    return {};
  }

  Result<void> AddTreeFrame(std::string_view item) {
    AddEvent();
    is_whole_ = false;
    const size_t numbers_end = item.find("</div>"), class_begin = item.find("class=\"t", numbers_end);
    const size_t name_begin = item.find('>', class_begin), name_end = item.rfind("</span>");
    std::string_view numbers = item.substr(0, numbers_end);
    numbers.remove_prefix(std::min(numbers.size(), numbers.find('>', kTreeItem.size()) + 1));
    // Before 3.0, the level comes first.
    const bool has_level = numbers.starts_with('[');
    const size_t share_end = numbers.find('%');
    if (class_begin == std::string_view::npos || name_begin == std::string_view::npos ||
        name_end == std::string_view::npos || name_end < name_begin || share_end == std::string_view::npos) {
      return Expect("<li><div>SHARE% NUMBER</div><span class=\"tTYPE\">NAME</span>");
    }
    std::string digits;
    for (const char c : numbers.substr(share_end + 1, numbers.find_first_of("]s&", share_end) - share_end - 1)) {
      if (IsDigit(c)) digits += c;
    }
    const std::optional<int64_t> total = ParseInteger(digits);
    if (!total || tree_level_ == 0) return Expect("a frame's number in the list");
    if (open_.empty()) {
      width_ = 0;
      if (Result<void> root = Open(0, {}, FrameKind::kUnknown); !root) return root;
    }
    // The root has no number: it is the sum of its callees.
    width_ = *total;
    if (tree_level_ == 1) open_[0].rest = width_;
    // Earlier versions number the types differently.
    const char type = item[class_begin + std::string_view("class=\"t").size()];
    const FrameKind kind = has_level || !IsDigit(type) ? FrameKind::kUnknown : KindOfAsprofType(type - '0');
    return Open(tree_level_, UnescapeXml(Trim(item.substr(name_begin + 1, name_end - name_begin - 1))), kind);
  }

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool in_pool_ = false;
  bool has_event_ = false;
  bool is_whole_ = false;  // the script with the frames has ended
  bool is_reversed_ = false;
  bool is_inverted_ = false;
  bool is_difference_ = false;
  std::string unit_ = "samples";
  std::string last_name_;
  std::vector<std::string> names_;
  std::vector<OpenFrame> open_;
  size_t tree_level_ = 0;  // open lists of a call tree
  int64_t width_ = 0;
};

}  // namespace

bool LooksLikeAsprofHtml(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '<') return false;
  if (head.find(kTreeItem) != std::string_view::npos && head.find("ul.tree") != std::string_view::npos) return true;
  return head.find("<canvas") != std::string_view::npos && (head.find("const cpool") != std::string_view::npos ||
                                                            head.find("function f(level") != std::string_view::npos ||
                                                            head.find("function f(key") != std::string_view::npos);
}

Result<void> ReadAsprofHtml(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<AsprofHtmlReader>(std::move(source), builder);
}

}  // namespace sparkprof
