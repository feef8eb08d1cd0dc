// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/text_cache.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTrace = "cpu.trace.";

// A line's stack, value and time.
struct Gauge {
  std::string_view key;
  double value = 0;
  int64_t time_ns = kNoTime;
};

std::optional<double> ParseStatsdNumber(std::string_view text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view rest(parsed.ptr, static_cast<size_t>(text.data() + text.size() - parsed.ptr));
  return rest.empty() || rest == "i" ? std::optional(number) : std::nullopt;
}

// "KEY:7|g"
std::optional<Gauge> ParseDatagram(std::string_view text) {
  const size_t bar = text.rfind('|');
  if (bar == std::string_view::npos) return std::nullopt;
  const size_t colon = text.rfind(':', bar);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<double> value = ParseStatsdNumber(text.substr(colon + 1, bar - colon - 1));
  return value ? std::optional(Gauge{text.substr(0, colon), *value}) : std::nullopt;
}

// "KEY,tag=x,… value=7 1795256429005000000"
std::optional<Gauge> ParseLineProtocol(std::string_view text) {
  const size_t field = text.find(" value=");
  if (field == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(field + 7);
  const size_t blank = rest.find(' ');
  const std::optional<double> value = ParseStatsdNumber(rest.substr(0, blank));
  if (!value) return std::nullopt;
  Gauge gauge{text.substr(0, std::min(text.find(','), field)), *value};
  if (blank != std::string_view::npos) {
    if (const auto time = ParseInteger(Trim(rest.substr(blank)))) gauge.time_ns = *time;
  }
  return gauge;
}

// Output of etsy's statsd-jvm-profiler as text: StatsD datagrams, one per line, or InfluxDB's line protocol:
//     PREFIX.cpu.trace.java-lang-Object-wait--2.java-lang-Thread-run-745:7|g
//     cpu.trace.java-lang-Object-wait--2.java-lang-Thread-run-745,pid=42,… value=7 1795256429005000000
// A key is a stack, leaf first; the last number of a frame is the line. Values are samples and are summed. Other
// metrics and depth limits (cpu.trace.12) are skipped. The output of influxdb_dump.py is collapsed text.
class StatsdReader {
 public:
  explicit StatsdReader(ProfileBuilder* builder) : builder_(builder) { builder->AddEvent("samples", "count"); }

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    const size_t trace = line.find(kTrace);
    if (trace == std::string_view::npos) return {};
    const std::string_view text = line.substr(trace + kTrace.size());
    std::optional<Gauge> gauge = ParseLineProtocol(text);
    if (!gauge) gauge = ParseDatagram(text);
    if (!gauge) {
      return builder_->Damaged(
          fmt::format("line {}: expected cpu.trace.STACK:VALUE|g or cpu.trace.STACK,… value=VALUE, "
                      "found '{}'",
                      line_number_, line.substr(0, 60)));
    }
    if (ParseInteger(gauge->key)) return {};  // a bound
    Sample sample;
    sample.weight = RoundSaturated(gauge->value);
    sample.count = sample.weight;
    sample.time_ns = gauge->time_ns;
    const std::vector<std::string_view> leaf_first = Split(gauge->key, '.');
    for (size_t i = leaf_first.size(); i > 0; --i) {
      sample.stack = builder_->profile().stacks.Push(sample.stack, FrameOf(leaf_first[i - 1]));
    }
    if (sample.weight > 0) builder_->Add(sample);
    return {};
  }

 private:
  FrameId FrameOf(std::string_view text) {
    return frames_.Get(text, [&](std::string_view key) {
      const size_t dash = key.rfind('-');
      std::string name(key);
      std::optional<int64_t> line;
      if (dash != std::string_view::npos) line = ParseInteger(key.substr(dash + 1));
      if (line) name.resize(dash);
      // "wait--2" is line -2: native.
      if (line && name.ends_with('-')) {
        name.pop_back();
        line = 0;
      }
      std::replace(name.begin(), name.end(), '-', '.');
      return builder_->AddFrame(name, FrameKind::kJit, {}, line.value_or(0));
    });
  }

  ProfileBuilder* builder_;
  TextCache<FrameId> frames_;
  uint64_t line_number_ = 0;
};

}  // namespace

bool LooksLikeStatsd(std::string_view head) {
  const size_t trace = head.find(kTrace);
  if (trace == std::string_view::npos) return false;
  const std::string_view line = head.substr(trace, head.find('\n', trace) - trace);
  return line.find('|') != std::string_view::npos || line.find(" value=") != std::string_view::npos;
}

Result<void> ReadStatsd(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<StatsdReader>(std::move(source), builder);
}

}  // namespace sparkprof
