// SPDX-License-Identifier: Apache-2.0
#include "inputs/line_wrapping.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/io/line_reader.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// "2016-10-06T00:17:09.669794202Z stdout F text": checks only the shape of the time.
bool ParseCri(std::string_view line, std::string_view* time, std::string_view* text, bool* is_stderr, bool* continues) {
  constexpr size_t kShortestTime = 20, kLongestTime = 40;
  if (line.size() < kShortestTime || line[4] != '-' || line[10] != 'T') return false;
  const size_t time_end = line.find(' ');
  if (time_end < kShortestTime || time_end > kLongestTime) return false;
  std::string_view rest = line.substr(time_end + 1);
  if (!rest.starts_with("stdout ") && !rest.starts_with("stderr ")) return false;
  const bool has_e = rest[3] == 'e';
  rest.remove_prefix(7);
  // The tag may be followed by others, separated by colons.
  const size_t tag_end = std::min(rest.find(' '), rest.size());
  if (tag_end == 0 || (rest[0] != 'F' && rest[0] != 'P') || (tag_end > 1 && rest[1] != ':')) return false;
  *is_stderr = has_e;
  *continues = rest[0] == 'P';
  *time = line.substr(0, time_end);
  *text = rest.substr(std::min(tag_end + 1, rest.size()));
  return true;
}

class UnwrappingSource : public ByteSource {
 public:
  UnwrappingSource(LineWrapping wrapping, std::unique_ptr<ByteSource> source)
      : unwrapper_(wrapping), lines_(std::move(source)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    while (given_ == text_.size()) {
      text_.clear();
      given_ = 0;
      const std::string_view block = lines_.Next();
      if (block.empty()) {
        while (unwrapper_.Finish(&unwrapped_)) text_.append(unwrapped_.text).push_back('\n');
        if (!text_.empty()) continue;
        if (lines_.SourceError() && !reported_) {
          reported_ = true;
          return tl::unexpected(*lines_.SourceError());
        }
        return 0;
      }
      for (std::string_view lines = block; !lines.empty();) {
        if (unwrapper_.Add(TakeLine(&lines), &unwrapped_)) text_.append(unwrapped_.text).push_back('\n');
      }
    }
    const size_t count = std::min(size, text_.size() - given_);
    std::memcpy(bytes, text_.data() + given_, count);
    given_ += count;
    return count;
  }

 private:
  LineUnwrapper unwrapper_;
  UnwrappedLine unwrapped_;
  LineReader lines_;
  std::string text_;
  size_t given_ = 0;
  bool reported_ = false;
};

}  // namespace

LineWrapping DetectWrapping(std::string_view head) {
  size_t cri = 0, docker = 0, lines = 0;
  bool ends_line = false;
  constexpr size_t kLook = 20;
  while (!head.empty() && lines < kLook) {
    const std::string_view line = TakeLine(&head);
    std::string_view time, text;
    bool is_stderr = false, continues = false;
    ++lines;
    if (ParseCri(line, &time, &text, &is_stderr, &continues)) ++cri;
    const auto has = [line](std::string_view part) { return line.find(part) != std::string_view::npos; };
    if (line.starts_with('{') && has("\"log\":\"") && has("\"stream\":\"std") && has("\"time\":\"")) ++docker;
    ends_line |= has("\\n\",\"") || has("\\n\"}");
  }
  if (cri * 2 > lines) return LineWrapping::kCri;
  return ends_line && docker * 2 > lines ? LineWrapping::kDockerJson : LineWrapping::kNone;
}

struct LineUnwrapper::Part {
  std::string_view text, time;
  bool is_stderr = false;
  bool continues = false;
};

struct LineUnwrapper::Parser {
  simdjson::dom::parser json;
  std::string padded;

  // The whole line if it is not wrapped.
  Part Parse(LineWrapping wrapping, std::string_view line) {
    Part part{.text = line};
    if (wrapping == LineWrapping::kCri) ParseCri(line, &part.time, &part.text, &part.is_stderr, &part.continues);
    if (wrapping != LineWrapping::kDockerJson) return part;
    padded.assign(line);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    simdjson::dom::object object, kubernetes;
    std::string_view text;
    if (json.parse(padded.data(), line.size(), false).get_object().get(object) != simdjson::SUCCESS ||
        object.at_key("log").get_string().get(text) != simdjson::SUCCESS)
      return part;
    // Otherwise the line continues in the next record, unless Fluentd or Fluent Bit took its newline off.
    part.continues = !text.ends_with('\n') && !ObjectAt(object, "kubernetes", &kubernetes);
    if (text.ends_with('\n')) text.remove_suffix(1);
    part.text = text;
    part.time = TextAt(object, "time");
    part.is_stderr = TextAt(object, "stream") == "stderr";
    return part;
  }
};

LineUnwrapper::LineUnwrapper(LineWrapping wrapping) : wrapping_(wrapping), parser_(std::make_unique<Parser>()) {}
LineUnwrapper::~LineUnwrapper() = default;

bool LineUnwrapper::Add(std::string_view line, UnwrappedLine* unwrapped) {
  const Part part = parser_->Parse(wrapping_, line);
  Stream& open = open_[part.is_stderr ? 1 : 0];
  if (part.continues && open.text.size() + part.text.size() <= LineLimits{}.max_line_bytes) {
    open.text.append(part.text);
    ++open.parts;
    return false;
  }
  *unwrapped = {part.text, part.time, open.parts + 1};
  if (open.parts == 0) return true;
  whole_.assign(open.text).append(part.text);
  unwrapped->text = whole_;
  open = {};
  return true;
}

bool LineUnwrapper::Finish(UnwrappedLine* unwrapped) {
  for (Stream& open : open_) {
    if (open.parts == 0) continue;
    whole_ = open.text;
    *unwrapped = {whole_, {}, open.parts};
    open = {};
    return true;
  }
  return false;
}

std::string Unwrap(LineWrapping wrapping, std::string_view lines) {
  std::string text;
  LineUnwrapper unwrapper(wrapping);
  UnwrappedLine unwrapped;
  while (!lines.empty()) {
    if (unwrapper.Add(TakeLine(&lines), &unwrapped)) text.append(unwrapped.text).push_back('\n');
  }
  while (unwrapper.Finish(&unwrapped)) text.append(unwrapped.text).push_back('\n');
  return text;
}

std::unique_ptr<ByteSource> UnwrapSource(LineWrapping wrapping, std::unique_ptr<ByteSource> source) {
  if (wrapping == LineWrapping::kNone) return source;
  return std::make_unique<UnwrappingSource>(wrapping, std::move(source));
}

}  // namespace sparkprof
