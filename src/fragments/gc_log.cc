// SPDX-License-Identifier: Apache-2.0
#include "fragments/gc_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/saturate.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxOpenLines = 100;
constexpr size_t kMaxOpenBytes = size_t{16} << 10;
constexpr size_t kRecent = 20;
constexpr double kMaxNanos = 9e18;

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Removes a decimal number from the start of `text`; the separator is a comma or a point.
std::optional<double> TakeNumber(std::string_view* text) {
  size_t end = 0;
  while (end < text->size() && (IsDigit((*text)[end]) || (*text)[end] == '.' || (*text)[end] == ',')) ++end;
  std::string digits(text->substr(0, end));
  std::replace(digits.begin(), digits.end(), ',', '.');
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(stop - digits.data()));
  return number;
}

int64_t NanosOf(double number, double unit_ns) {
  return static_cast<int64_t>(std::clamp(number * unit_ns, 0.0, kMaxNanos));
}

// Parses "1.234s", "1234ms" or "1234567 ns" at the start of `text`.
std::optional<int64_t> DurationAt(std::string_view text) {
  const std::optional<double> number = TakeNumber(&text);
  if (!number) return std::nullopt;
  text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with("ms")) return NanosOf(*number, kNanosPerMilli);
  if (text.starts_with("us")) return NanosOf(*number, kNanosPerMicro);
  if (text.starts_with("ns")) return NanosOf(*number, 1);
  return text.starts_with("s") ? std::optional(NanosOf(*number, kNanosPerSecond)) : std::nullopt;
}

// Parses the duration at the end of `text`: "12.345ms", "0.460 ms", "0.0123456 secs".
std::optional<int64_t> LastDuration(std::string_view text) {
  text = Trim(text);
  size_t begin = text.rfind(' ');
  if (begin != std::string_view::npos && begin + 1 < text.size() && !IsDigit(text[begin + 1]) && begin > 0) {
    begin = text.rfind(' ', begin - 1);
  }
  return begin == std::string_view::npos ? std::nullopt : DurationAt(text.substr(begin + 1));
}

// Strips sizes and duration from "Pause Full (G1 Compaction Pause) 512M->128M(1024M) 12.345ms".
std::string_view NameOfPause(std::string_view message) {
  const size_t arrow = message.find("->");
  message = message.substr(0, message.rfind(' ', arrow));
  return Trim(message);
}

// Removes a size from the start of `text`: "512M", "51.0M", "0.0B", "65536K".
std::optional<int64_t> TakeSize(std::string_view* text) {
  const std::optional<double> number = TakeNumber(text);
  if (!number || text->empty()) return std::nullopt;
  constexpr std::string_view kUnits = "BKMGT";
  const size_t unit = kUnits.find((*text)[0]);
  if (unit == std::string_view::npos) return std::nullopt;
  text->remove_prefix(1);
  return NanosOf(*number, std::pow(1024.0, static_cast<double>(unit)));
}

// Parses "2026-11-28T07:00:01.123+0000" or "…Z" at the start of `text`; ignores the zone.
std::optional<int64_t> WallTimeAt(std::string_view text) {
  constexpr size_t kSize = 23;
  if (text.size() < kSize || text[10] != 'T') return std::nullopt;
  return ParseTimestamp(std::string(text.substr(0, kSize)) + "Z");
}

// The text of a JDK 8 event at bracket level 1, and its end.
struct Outline {
  std::string own;
  size_t end = std::string_view::npos;  // after the last bracket; npos = on a later line
};
Outline OutlineOf(std::string_view text) {
  Outline outline;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') {
      ++depth;
    } else if (text[at] == ']' && --depth <= 0) {
      outline.end = at + 1;
      return outline;
    } else if (depth == 1) {
      outline.own += text[at];
    }
  }
  return outline;
}

// "GC (Allocation Failure)" or "GC pause (G1 Evacuation Pause) (young)" in a JDK 8 event.
std::string_view NameOfOldEvent(std::string_view own) {
  own = own.substr(0, own.find('\n'));
  const size_t arrow = own.find("->"), close = own.rfind(')', arrow);
  if (close != std::string_view::npos) return Trim(own.substr(0, std::min(close + 1, own.find(", "))));
  return Trim(own.substr(0, std::min(own.rfind(' ', arrow), own.find(','))));
}

// Words that identify collectors where no header names them, as in unified logs.
constexpr struct {
  std::string_view sign, collector;
} kCollectors[] = {
    {"Using G1", "G1"},
    {"Using Parallel", "Parallel"},
    {"Using Serial", "Serial"},
    {"Using Concurrent Mark Sweep", "CMS"},
    {"Using The Z Garbage Collector", "ZGC"},
    {"Using Shenandoah", "Shenandoah"},
    {"UseG1GC", "G1"},
    {"UseParallelGC", "Parallel"},
    {"UseSerialGC", "Serial"},
    {"UseConcMarkSweepGC", "CMS"},
    {"(G1 ", "G1"},
    {"[PSYoungGen", "Parallel"},
    {"[DefNew", "Serial"},
    {"[ParNew", "CMS"},
    {"CMS-", "CMS"},
    {"Major Collection (", "ZGC"},
    {"Minor Collection (", "ZGC"},
    {"Garbage Collection (", "ZGC"},
    {"Pause Degenerated GC", "Shenandoah"},
    {"Pause Init Mark", "Shenandoah"},
    {"Pause Young (Normal)", "G1"},
};

}  // namespace

// JDK 8 writes "51.0M(1024.0M)->7.9M(1024.0M)", ZGC "206M(10%)->20M(1%)".
std::optional<GcLogReader::Change> GcLogReader::LastChange(std::string_view text) {
  const size_t arrow = text.rfind("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  size_t begin = arrow;
  while (begin > 0 && (IsAlnum(text[begin - 1]) || Has(".,()%", text.substr(begin - 1, 1)))) --begin;
  std::string_view before_text = text.substr(begin, arrow - begin), after_text = text.substr(arrow + 2);
  const std::optional<int64_t> before = TakeSize(&before_text), after = TakeSize(&after_text);
  if (!before || !after || !after_text.starts_with('(')) return std::nullopt;
  Change change{*before, *after, 0};
  after_text.remove_prefix(1);
  if (const std::optional<int64_t> capacity = TakeSize(&after_text)) change.capacity = *capacity;
  return change;
}

void GcLogReader::AddTime(int64_t ns) {
  // The log of another JVM begins.
  if (last_ns_ >= 0 && ns < last_ns_ - kNanosPerSecond) {
    AddSaturated(last_ns_ - first_ns_, &log_.elapsed_ns);
    first_ns_ = -1;
    after_ = -1;
  }
  if (first_ns_ < 0) first_ns_ = ns;
  last_ns_ = std::max(ns, first_ns_);
}

void GcLogReader::AddPause(std::string_view name, int64_t ns) {
  ++log_.pauses;
  AddSaturated(ns, &log_.pause_ns);
  is_last_full_ = name.starts_with("Pause Full") || name.starts_with("Full GC");
  if (is_last_full_) {
    ++log_.full;
    AddSaturated(ns, &log_.full_ns);
    // The texts of JDK 8 and of later versions.
    const bool is_last_resort = Has(name, "Last ditch collection") || Has(name, "Metadata GC Clear Soft References");
    if (is_last_resort || Has(name, "Metadata GC Threshold")) ++log_.for_classes;
    if (is_last_resort) ++log_.last_resorts;
  }
  if (Has(name, "Humongous")) ++log_.humongous;
  if (ns <= log_.longest_ns) return;
  constexpr size_t kMaxName = 100;
  log_.longest_ns = ns;
  log_.longest = Shorten(ToOneLine(name), kMaxName);
}

void GcLogReader::AddChange(const Change& change, bool is_whole_heap) {
  if (after_ >= 0 && change.before > after_) AddSaturated(change.before - after_, &log_.allocated_bytes);
  if (after_ >= 0 && after_time_ns_ >= 0)
    AddSaturated(std::max<int64_t>(0, last_ns_ - after_time_ns_), &log_.allocation_ns);
  after_ = change.after;
  after_time_ns_ = last_ns_;
  largest_capacity_ = std::max(largest_capacity_, change.capacity);
  if (is_whole_heap) whole_heap_after_ = change.after;
  recent_after_.push_back(change.after);
  if (recent_after_.size() > kRecent) recent_after_.pop_front();
}

void GcLogReader::AddHeader(std::string_view message) {
  const auto size_behind = [&](std::string_view name) {
    const size_t at = message.find(name);
    std::string_view text = at == std::string_view::npos ? std::string_view() : message.substr(at + name.size());
    return TakeSize(&text).value_or(0);
  };
  if (const int64_t most = size_behind("Heap Max Capacity: "); most > 0) log_.max_heap_bytes = most;
  if (const int64_t most = size_behind("Max Capacity: "); most > 0) log_.max_heap_bytes = most;
  if (const int64_t memory = message.starts_with("Memory: ") ? size_behind("Memory: ") : 0; memory > 0)
    log_.memory_bytes = memory;
  for (const std::string_view name : {"Heap Region Size: ", "Heap region size: "}) {
    if (const int64_t region = size_behind(name); region > 0) log_.region_bytes = region;
  }
  // JDK 8 prints the values of flags in bytes.
  const auto flag = [&](std::string_view name) {
    const size_t at = message.find(name);
    std::string_view text = at == std::string_view::npos ? std::string_view() : message.substr(at + name.size());
    return NanosOf(TakeNumber(&text).value_or(0), 1);
  };
  if (const int64_t most = flag("-XX:MaxHeapSize="); most > 0) log_.max_heap_bytes = most;
  if (const int64_t region = flag("-XX:G1HeapRegionSize="); region > 0) log_.region_bytes = region;
  if (const int64_t classes = flag("-XX:MaxMetaspaceSize="); classes > 0) log_.max_classes_bytes = classes;
}

// `message` follows the decorations and the collection's number, which statistics at the end of a log lack.
void GcLogReader::AddMessage(std::string_view message, bool is_of_collection) {
  // ZGC: a young collection within a major one, and a collection of the old generation.
  for (const std::string_view part : {"Y: ", "y: ", "O: "}) {
    if (message.starts_with(part)) message.remove_prefix(part.size());
  }
  if (message.starts_with("To-space exhausted") || Has(message, "(Evacuation Failure")) ++log_.without_room;
  const std::optional<int64_t> duration = LastDuration(message);
  const std::optional<Change> change = LastChange(message);
  if (message.starts_with("Allocation Stall") && duration) {
    ++log_.stalls;
    AddSaturated(*duration, &log_.stall_ns);
  } else if (!is_of_collection) {
    AddHeader(message);
  } else if (message.starts_with("Pause ") && duration) {
    AddPause(NameOfPause(message), *duration);
    if (change) AddChange(*change, is_last_full_);
  } else if (change && (Has(message, " Collection (") || message.starts_with("Concurrent cleanup"))) {
    // Threads allocate during the collection, unless they wait for the memory that a full collection frees.
    AddChange(*change, Has(message, "Major Collection (Allocation Stall)") ||
                           Has(message, "Garbage Collection (Allocation Stall)"));
  } else {
    AddHeader(message);
  }
}

void GcLogReader::AddUnified(std::string_view line) {
  std::optional<int64_t> uptime, wall;
  while (line.starts_with('[')) {
    const size_t close = line.find(']');
    if (close == std::string_view::npos) return;
    const std::string_view decoration = Trim(line.substr(1, close - 1));
    if (const auto time = WallTimeAt(decoration)) wall = time;
    if (const auto time = DurationAt(decoration); time && !uptime) uptime = time;
    line.remove_prefix(close + 1);
  }
  if (uptime || wall) AddTime(uptime ? *uptime : *wall);
  line = Trim(line);
  const bool is_of_collection = line.starts_with("GC(");
  if (is_of_collection) line = Trim(line.substr(std::min(line.find(')'), line.size() - 1) + 1));
  AddMessage(line, is_of_collection);
}

// `stamps`: "2026-11-28T07:00:01.123+0000: 1.234: " before "[GC (Allocation Failure) …"; either may be missing.
void GcLogReader::AddOldEvent(std::string_view stamps, std::string_view event) {
  std::optional<int64_t> time = WallTimeAt(stamps);
  if (time) stamps = stamps.substr(std::min(stamps.find(": "), stamps.size()));
  stamps.remove_prefix(std::min(stamps.find_first_of("0123456789"), stamps.size()));
  if (const std::optional<double> uptime = TakeNumber(&stamps); uptime && stamps.starts_with(':')) {
    time = NanosOf(*uptime, kNanosPerSecond);
  }
  if (time) AddTime(*time);
  open_event_ = event;
  open_lines_ = 1;
  EndOldEvent();
}

// Adds the event once its last bracket is read.
void GcLogReader::EndOldEvent() {
  const Outline outline = OutlineOf(open_event_);
  const bool is_given_up = open_lines_ > kMaxOpenLines || open_event_.size() > kMaxOpenBytes;
  if (outline.end == std::string_view::npos && !is_given_up) return;
  const std::string event = std::move(open_event_);
  open_event_.clear();
  const std::string_view own = outline.own;
  if (outline.end == std::string_view::npos) return;
  if (Has(event, "to-space exhausted") || Has(event, "to-space overflow") || Has(event, "promotion failed"))
    ++log_.without_room;
  const std::optional<int64_t> duration = LastDuration(own);
  if (!duration) return;
  const bool is_full = own.starts_with("Full GC") || Has(event, "concurrent mode failure");
  const std::string name =
      fmt::format("{}{}", is_full && !own.starts_with("Full GC") ? "Full GC after " : "", NameOfOldEvent(own));
  AddPause(name, *duration);
  const std::optional<Change> change = LastChange(own);
  awaits_heap_ = !change;
  if (change) AddChange(*change, is_last_full_);
}

void GcLogReader::AddLine(std::string_view line) {
  line = WithoutCarriageReturn(line);
  if (log_.collector.empty()) {
    for (const auto& [sign, collector] : kCollectors) {
      if (!Has(line, sign)) continue;
      log_.collector = collector;
      break;
    }
  }
  const bool is_unified = line.starts_with('[') && (Has(line, "[gc") || Has(line, "] GC("));
  const size_t event =
      std::min({line.find("[GC"), line.find("[Full GC"), line.find("[CMS-concurrent"), line.find("[Pause ")});
  const bool begins_event = event != std::string_view::npos;
  const std::string_view text = begins_event ? line.substr(event) : std::string_view();
  // Lines of concurrent phases, and of the heap before a collection, may interrupt an event.
  const bool is_beside = text.starts_with("[GC concurrent") || text.starts_with("[CMS-concurrent") || Has(line, "[0x");
  if (is_unified || line.starts_with("GC(")) {
    AddUnified(line);
  } else if (is_beside) {
    return;
  } else if (!open_event_.empty() && (!begins_event || line.starts_with(' '))) {
    open_event_.append("\n").append(line);
    ++open_lines_;
    EndOldEvent();
  } else if (begins_event) {
    AddOldEvent(line.substr(0, event), text);
  } else if (awaits_heap_ && Has(line, "[Eden: ") && Has(line, "Heap: ")) {
    awaits_heap_ = false;
    if (const std::optional<Change> change = LastChange(line.substr(line.find("Heap: "))))
      AddChange(*change, is_last_full_);
  } else {
    AddHeader(line);
  }
}

GcLog GcLogReader::Finish() {
  if (first_ns_ >= 0) AddSaturated(last_ns_ - first_ns_, &log_.elapsed_ns);
  if (log_.max_heap_bytes == 0) log_.max_heap_bytes = largest_capacity_;
  log_.is_live_exact = whole_heap_after_.has_value();
  log_.live_bytes = whole_heap_after_;
  if (!log_.live_bytes && !recent_after_.empty())
    log_.live_bytes = *std::min_element(recent_after_.begin(), recent_after_.end());
  return std::move(log_);
}

}  // namespace sparkprof
