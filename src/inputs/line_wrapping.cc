// SPDX-License-Identifier: Apache-2.0
#include "inputs/line_wrapping.h"

#include <simdjson.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "base/json_value.h"
#include "base/line_reader.h"
#include "base/lines.h"
#include "inputs/cri_line.h"

namespace sparkprof {
namespace {

constexpr size_t kSecondDigits = 19;  // "2026-11-21T16:35:51"

// Removes the envelope line by line.
class Unwrapper {
 public:
  explicit Unwrapper(LineWrapping wrapping) : wrapping_(wrapping) {}

  void Add(std::string_view lines, std::string* out) {
    while (!lines.empty()) {
      const std::string_view line = TakeLine(&lines);
      if (wrapping_ == LineWrapping::kCri) {
        AddCri(line, out);
      } else {
        AddDocker(line, out);
      }
    }
  }

  // Writes parts without a continuation at the end of input.
  void Finish(std::string* out) {
    for (std::string& open : open_) {
      if (!open.empty()) out->append(std::exchange(open, {})).push_back('\n');
    }
  }

 private:
  void AddCri(std::string_view line, std::string* out) {
    const std::optional<CriLine> cri = ParseCriLine(line);
    if (cri) {
      AddPart(cri->text, cri->is_stderr, cri->continues, out);
    } else {
      AddPart(line, false, false, out);
    }
  }

  void AddDocker(std::string_view line, std::string* out) {
    simdjson::dom::object object;
    std::string_view text;
    padded_.assign(line);
    padded_.append(simdjson::SIMDJSON_PADDING, ' ');
    if (parser_.parse(padded_.data(), line.size(), false).get_object().get(object) != simdjson::SUCCESS ||
        object.at_key("log").get_string().get(text) != simdjson::SUCCESS) {
      AddPart(line, false, false, out);
      return;
    }
    // Without a newline, the line continues in the next record, unless Fluentd or Fluent Bit removed the newline.
    simdjson::dom::object kubernetes;
    const bool is_whole = text.ends_with('\n') || ObjectAt(object, "kubernetes", &kubernetes);
    if (text.ends_with('\n')) text.remove_suffix(1);
    AddPart(text, TextAt(object, "stream") == "stderr", !is_whole, out);
  }

  void AddPart(std::string_view text, bool is_stderr, bool continues, std::string* out) {
    std::string& open = open_[is_stderr ? 1 : 0];
    if (continues && open.size() + text.size() <= LineLimits{}.max_line_bytes) {
      open.append(text);
      return;
    }
    out->append(open).append(text).push_back('\n');
    open.clear();
  }

  const LineWrapping wrapping_;
  simdjson::dom::parser parser_;
  std::string padded_;
  std::array<std::string, 2> open_;  // partial lines of standard output and standard error
};

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
        unwrapper_.Finish(&text_);
        if (!text_.empty()) continue;
        if (lines_.SourceError() && !reported_) {
          reported_ = true;
          return tl::unexpected(*lines_.SourceError());
        }
        return 0;
      }
      unwrapper_.Add(block, &text_);
    }
    const size_t count = std::min(size, text_.size() - given_);
    std::memcpy(bytes, text_.data() + given_, count);
    given_ += count;
    return count;
  }

 private:
  Unwrapper unwrapper_;
  LineReader lines_;
  std::string text_;
  size_t given_ = 0;
  bool reported_ = false;
};

// Parses "2026-11-21?16:35:51" or "26/11/21 16:35:51" with any separators, as UTC, to seconds since the epoch.
std::optional<int64_t> ParseSeconds(std::string_view text) {
  const std::string copy(text.substr(0, kSecondDigits));
  tm parts{};
  char separator = 0;
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2d%c%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &separator,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 7 &&
      std::sscanf(copy.c_str(), "%4d/%2d/%2d%c%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &separator,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 7) {
    return std::nullopt;
  }
  parts.tm_year = parts.tm_year < 100 ? parts.tm_year + 100 : parts.tm_year - 1900;
  --parts.tm_mon;
  return timegm(&parts);
}

// UTC offset in the runtime's time, "+01:00"; 0 for Z.
int64_t RuntimeOffset(std::string_view time) {
  const size_t sign = time.find_first_of("+-", kSecondDigits);
  if (sign == std::string_view::npos || time.size() < sign + 6) return 0;
  const std::string copy(time.substr(sign));
  int hours = 0, minutes = 0;
  if (std::sscanf(copy.c_str() + 1, "%2d:%2d", &hours, &minutes) != 2) return 0;
  return (copy[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

}  // namespace

LineWrapping DetectWrapping(std::string_view head) {
  size_t cri = 0, docker = 0, lines = 0;
  constexpr size_t kLook = 20;
  while (!head.empty() && lines < kLook) {
    const std::string_view line = TakeLine(&head);
    ++lines;
    if (ParseCriLine(line)) ++cri;
    if (line.starts_with("{\"log\":\"") && (line.find("\"stream\":\"") != std::string_view::npos || head.empty()))
      ++docker;
  }
  if (cri * 2 > lines) return LineWrapping::kCri;
  return docker * 2 > lines ? LineWrapping::kDockerJson : LineWrapping::kNone;
}

std::string Unwrap(LineWrapping wrapping, std::string_view lines) {
  if (wrapping == LineWrapping::kNone) return std::string(lines);
  std::string text;
  Unwrapper unwrapper(wrapping);
  unwrapper.Add(lines, &text);
  unwrapper.Finish(&text);
  return text;
}

std::unique_ptr<ByteSource> UnwrapSource(LineWrapping wrapping, std::unique_ptr<ByteSource> source) {
  if (wrapping == LineWrapping::kNone) return source;
  return std::make_unique<UnwrappingSource>(wrapping, std::move(source));
}

std::optional<int64_t> UtcOffsetOfLines(LineWrapping wrapping, std::string_view head) {
  constexpr int64_t kQuarter = 15 * 60, kMaxDrift = 60;
  std::map<int64_t, int> votes;
  while (!head.empty()) {
    const std::string_view line = TakeLine(&head);
    std::string_view time;
    std::string text;
    if (wrapping == LineWrapping::kCri) {
      const std::optional<CriLine> cri = ParseCriLine(line);
      if (!cri) continue;
      time = cri->time;
      text = cri->text;
    } else {
      constexpr std::string_view kTime = "\"time\":\"";
      const size_t found = line.rfind(kTime);
      if (found == std::string_view::npos) continue;
      time = line.substr(found + kTime.size());
      text = Unwrap(wrapping, line);
    }
    const std::optional<int64_t> runtime = ParseSeconds(time), own = ParseSeconds(text);
    if (!runtime || !own) continue;
    const int64_t ahead = *own - (*runtime - RuntimeOffset(time));
    const int64_t quarters = (ahead + (ahead < 0 ? -kQuarter / 2 : kQuarter / 2)) / kQuarter;
    if (std::abs(ahead - quarters * kQuarter) <= kMaxDrift) ++votes[quarters * kQuarter];
  }
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::nullopt : std::optional<int64_t>(most->first);
}

}  // namespace sparkprof
