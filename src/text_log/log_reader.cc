// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/redaction/redaction.h"
#include "base/redaction/redaction_stream.h"
#include "base/text/text.h"
#include "inputs/line_wrapping.h"
#include "text_log/log_layouts.h"
#include "text_log/missing_dates.h"
#include "text_log/named_fields.h"
#include "text_log/stack_trace.h"

namespace sparkprof {
namespace {

// Plain lines after a warning or error that may still turn out to be part of its exception's message.
constexpr int64_t kMaxUndecided = 100;
constexpr std::string_view kBar = "[Stage ";

// "\x1b[32mINFO\x1b[0m" -> "INFO".
std::string WithoutEscapes(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    const size_t escape = line.find('\x1b');
    shown.append(line.substr(0, escape));
    if (escape == std::string_view::npos) break;
    line.remove_prefix(escape + 1);
    if (line.starts_with(']')) {  // a link: up to BEL or ESC
      line.remove_prefix(std::min(line.find_first_of("\x07\x1b"), line.size()));
      if (line.starts_with('\x07')) line.remove_prefix(1);
      continue;
    }
    if (!line.starts_with('[')) continue;
    // Parameters, then a final letter (ECMA-48, 5.4).
    const size_t last = line.find_first_not_of("0123456789;:<=>?!\"#$%&'()*+,-./ ", 1);
    line.remove_prefix(last == std::string_view::npos ? line.size() : last + 1);
  }
  return shown;
}

// "[Stage 0:====> (1 + 2) / 8][Stage 1:> (0 + 1) / 1]24/01/15 …" -> "24/01/15 …".
std::string_view WithoutBars(std::string_view text) {
  for (;;) {
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = text.find(']', begin);
    if (!text.substr(begin).starts_with(kBar) || end == std::string_view::npos) return text;
    if (text.substr(begin, end - begin).find(") / ") == std::string_view::npos) return text;
    text.remove_prefix(end + 1);
  }
}

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    replaced.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return replaced.append(text);
}

// Calls `take` with each part of the line that is neither a progress bar nor what erases one, in order; false if there
// is none.
template <typename Take>
bool ForEachShown(std::string_view line, const Take& take) {
  bool is_any = false;
  while (!line.empty()) {
    const size_t end = std::min(line.find('\r'), line.size());
    const std::string_view part = WithoutBars(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
    if (part.find_first_not_of(' ') == std::string_view::npos) continue;
    take(part);
    is_any = true;
  }
  return is_any;
}

}  // namespace

class LogReader::Impl {
 public:
  Impl(LogRecordHandler* handler, const LogReaderOptions& options)
      : handler_(handler), dates_(options.zone, options.latest_ns, options.name_ns), layouts_(options.latest_ns) {}

  void AddLines(std::string_view lines) {
    if (!has_learned_) {
      if (head_.size() + lines.size() < LogLayouts::kMaxLearned) {
        head_.append(lines);
        if (!lines.empty() && !head_.ends_with('\n')) head_ += '\n';
        return;
      }
      Learn(head_ + std::string(lines.substr(0, LogLayouts::kMaxLearned)));
      ReadHead();
    }
    Read(lines);
  }

  void Finish() {
    if (!has_learned_) Learn(head_);
    ReadHead();
    UnwrappedLine unwrapped;
    while (unwrapper_ && unwrapper_->Finish(&unwrapped)) AddUnwrapped(unwrapped);
    EmitFirstOfTwo();
    Flush();
  }

  int64_t Lines() const { return lines_; }
  int64_t CutRecords() const { return cut_records_; }

  std::vector<std::string> Doubts() const {
    std::vector<std::string> doubts(layouts_.Doubts().begin(), layouts_.Doubts().end());
    if (!dates_.Assumed().empty())
      doubts.push_back(fmt::format("its times have no date; {} was assumed", dates_.Assumed()));
    if (headers_ > 0 && last_ns_ == 0)
      doubts.emplace_back("its lines have no times: only durations in messages are known");
    if (const int64_t lines = layouts_.StrangeLines(); lines > 0) {
      doubts.push_back(
          fmt::format("the layout of {} line{} with Spark's messages is unknown", lines, lines == 1 ? "" : "s"));
    }
    return doubts;
  }

 private:
  struct Part {
    size_t at = 0;
    size_t size = 0;
  };

  // The record that may continue: a range of the current block or, once that is gone, of `saved_`.
  struct Pending {
    bool is_set = false;
    LogRecord record;  // its views are set when it is handed over
    const char* begin = nullptr;
    bool is_saved = false;
    size_t first_size = 0;  // size of the first line
    Part thread, logger, message;
    size_t end = 0;            // after its last line
    size_t undecided_end = 0;  // after the last line that may belong to it; 0 = none
    int64_t undecided_lines = 0;
    int64_t undecided_line = 0;  // the first one's number
    bool has_exception = false;
    bool expects_traceback = false;  // the last line that is not empty announces one
    bool is_open = false;            // the message ends with ':' or '{', so it continues
    bool is_block = false;           // perhaps with empty lines, as the reason for the loss of an executor
    bool is_full = false;

    std::string_view View(const Part& part) const { return std::string_view(begin + part.at, part.size); }
  };

  void ReadHead() {
    const std::string head = std::exchange(head_, {});
    Read(head);
  }

  void Read(std::string_view lines) {
    may_have_codes_ =
        unwrapper_ || lines.find('\x1b') != std::string_view::npos || lines.find('\r') != std::string_view::npos;
    while (!lines.empty()) {
      ++lines_;
      AddEnveloped(TakeLine(&lines));
      if (layouts_.WantsMore()) Learn(lines);
    }
    Save();
  }

  // Learns the layouts of the first lines of `text`.
  void Learn(std::string_view text) {
    const bool is_first = !std::exchange(has_learned_, true);
    if (text.size() > LogLayouts::kMaxLearned) text = text.substr(0, text.rfind('\n', LogLayouts::kMaxLearned) + 1);
    const LineWrapping wrapping = DetectWrapping(text);
    if (is_first && wrapping != LineWrapping::kNone) unwrapper_.emplace(wrapping);
    const std::string unwrapped = Unwrap(wrapping, text);
    std::vector<std::string> lines;
    for (std::string_view left = unwrapped; !left.empty();) {
      ForEachShown(WithoutEscapes(WithoutCarriageReturn(TakeLine(&left))),
                   [&](std::string_view part) { lines.emplace_back(part); });
    }
    if (!is_first || !fields_.LearnTable(lines)) {
      for (const std::string& line : lines) fields_.Learn(line);
    }
    std::vector<std::string> inner;
    bool is_open = false;
    std::string row;  // a table's row over several lines
    for (const std::string& line : lines) {
      row.append(row.empty() ? "" : "\n").append(line);
      const bool is_named = MayBeNamed(row) && fields_.Parse(row, &named_, &is_open);
      if (is_named && is_open && row.size() < kMaxRecord) continue;
      row.clear();
      if (!is_named || is_open) {
        inner.push_back(line);
        continue;
      }
      for (std::string_view message = named_.message; !message.empty();) inner.emplace_back(TakeLine(&message));
    }
    layouts_.Learn(inner);
  }

  bool MayBeNamed(std::string_view line) const { return line.starts_with('{') || fields_.IsTable(); }

  void AddEnveloped(std::string_view line) {
    UnwrappedLine unwrapped;
    if (!unwrapper_) {
      first_line_ = lines_;
      envelope_time_ = {};
      AddShown(line, may_have_codes_);
    } else if (unwrapper_->Add(line, &unwrapped)) {
      AddUnwrapped(unwrapped);
    }
  }

  void AddUnwrapped(const UnwrappedLine& unwrapped) {
    first_line_ = lines_ - unwrapped.parts + 1;
    envelope_time_ = envelope_times_.Parse(unwrapped.time);
    if (!envelope_time_.has_zone) envelope_time_ = {};
    Save();
    AddShown(unwrapped.text, true);
    Save();
  }

  // A text that is not in the block.
  void AddCopy(const std::string& text) {
    Save();
    AddShown(text, true);
    Save();
  }

  // Removes what only a terminal needs, escape sequences and progress bars, and what programs that pass lines on wrote
  // before them.
  void AddShown(std::string_view line, bool may_have_codes) {
    if (may_have_codes && line.find('\x1b') != std::string_view::npos) {
      AddCopy(WithoutEscapes(line));
      return;
    }
    LogTime time;
    const std::string_view rest = layouts_.WithoutCarrier(line, &time);
    if (time.size > 0) envelope_time_ = time;
    if (MayBeNamed(rest) && AddNamed(WithoutCarriageReturn(rest))) return;
    const bool is_inner = rest.size() < line.size();
    if (is_inner) Save();
    const bool has_bars =
        rest.starts_with(kBar) || (may_have_codes && WithoutCarriageReturn(rest).find('\r') != std::string_view::npos);
    const auto add = [&](std::string_view part) {
      Save();
      shown_.assign(part);
      AddLine(shown_);
      Save();
    };
    if (!has_bars || !ForEachShown(WithoutCarriageReturn(rest), add)) AddLine(rest);
    if (is_inner) Save();
  }

  // False if the line has no named parts, or no record in them.
  bool AddNamed(std::string_view line) {
    bool is_open = false;
    if (!row_.empty()) {
      row_.append(1, '\n').append(line);
      line = row_;
    }
    if (!fields_.Parse(line, &named_, &is_open)) {
      row_.clear();
      return false;
    }
    if (is_open && line.size() < kMaxRecord) {
      if (row_.empty()) row_ = line;
      return true;
    }
    const std::string row = std::exchange(row_, {});
    if (!row.empty()) line = row;
    first_line_ -= std::count(row.begin(), row.end(), '\n');
    // A message that is a line of a log counts as that line, one without a level as a line of it.
    const std::string_view first_line = named_.message.substr(0, named_.message.find('\n'));
    LogTime unused;
    const bool is_line = named_.level == LogLevel::kNone ||
                         (layouts_.Match(layouts_.WithoutCarrier(first_line, &unused), false, &header_) &&
                          header_.level != LogLevel::kNone && header_.time.size > 0);
    if (!is_line) {
      EmitFirstOfTwo();
      Flush();
      EmitNamed(line);
      return true;
    }
    if (named_.time.size > 0) envelope_time_ = named_.time;
    const std::string text(named_.message);
    std::string_view left = text;
    do {
      AddCopy(std::string(left.empty() ? left : TakeLine(&left)));
    } while (!left.empty());
    return true;
  }

  void AddLine(std::string_view raw) {
    const std::string_view line = WithoutCarriageReturn(raw);
    if (!first_of_two_.empty() && BeginTwoLines(line)) return;
    if (layouts_.Match(line, envelope_time_.size > 0, &header_)) {
      Flush();
      if (header_.is_first_of_two) {
        first_of_two_ = line;
        return;
      }
      Begin(raw, line);
      return;
    }
    if (pending_.is_set && Continue(raw, line)) return;
    Flush();
    // Alone, as people paste it, an exception needs no such beginning.
    if (!BeginsUnloggedException(line) && (headers_ > 0 || LineKindOf(line) != LineKind::kException)) {
      EmitOutput(line, first_line_);
      return;
    }
    header_ = {};
    header_.level = LogLevel::kError;
    header_.message_end = line.size();
    Begin(raw, line);
    pending_.record.has_header = false;
    pending_.has_exception = true;
  }

  // Begins a record of the line before and `line`, as java.util.logging writes them.
  bool BeginTwoLines(std::string_view line) {
    layouts_.Match(first_of_two_, false, &header_);
    if (!LogLayouts::MatchSecond(line, &header_)) {
      EmitFirstOfTwo();
      return false;
    }
    header_.thread = {};
    const size_t logger =
        header_.logger.empty() ? 0 : static_cast<size_t>(header_.logger.data() - first_of_two_.data());
    two_lines_.assign(first_of_two_).append(1, '\n').append(line);
    header_.logger = std::string_view(two_lines_).substr(logger, header_.logger.size());
    header_.message += first_of_two_.size() + 1;
    header_.message_end += first_of_two_.size() + 1;
    first_of_two_.clear();
    --first_line_;
    Begin(two_lines_, two_lines_);
    pending_.record.line_count = 2;
    Save();
    return true;
  }

  void EmitFirstOfTwo() {
    if (first_of_two_.empty()) return;
    const std::string line = std::exchange(first_of_two_, {});
    EmitOutput(line, std::max<int64_t>(1, first_line_ - 1));
  }

  int64_t TimeOf(const LogTime& time) {
    if (time.size == 0 && envelope_time_.size == 0) return last_ns_;
    const LogTime& best = time.size == 0 || (!time.has_zone && envelope_time_.has_zone) ? envelope_time_ : time;
    is_exact_ = best.is_exact;
    last_ns_ = dates_.ToUtc(best);
    return last_ns_;
  }

  void Begin(std::string_view raw, std::string_view line) {
    const auto part = [&](std::string_view view) {
      return view.empty() ? Part() : Part{static_cast<size_t>(view.data() - line.data()), view.size()};
    };
    pending_ = {};
    pending_.is_set = true;
    pending_.begin = line.data();
    pending_.first_size = line.size();
    pending_.end = raw.size();
    pending_.thread = part(header_.thread);
    pending_.logger = part(header_.logger);
    pending_.message = {header_.message, header_.message_end - header_.message};
    LogRecord& record = pending_.record;
    record.time_ns = TimeOf(header_.time);
    record.is_exact_time = is_exact_;
    record.level = header_.level;
    record.has_header = true;
    record.line = first_line_;
    ++headers_;
    const std::string_view shown = Trim(line);
    pending_.is_block = shown.ends_with(':') && (record.level >= LogLevel::kWarn || pending_.message.size == 0);
    pending_.is_open = pending_.is_block || line.ends_with(':') || line.ends_with('{');
    if (record.level >= LogLevel::kWarn) {
      pending_.has_exception = line.find("Exception: ") != std::string_view::npos ||
                               line.find("Error: ") != std::string_view::npos || line.ends_with("Exception");
    }
  }

  bool MayContain(std::string_view exception) const {
    if (EndsThread(exception) || pending_.record.level < LogLevel::kWarn) return false;
    return pending_.record.has_header || pending_.expects_traceback;
  }

  // Whether the line belongs to the pending record, or may do so.
  bool Continue(std::string_view raw, std::string_view line) {
    const LineKind kind = LineKindOf(line);
    if (BeginsUnloggedException(line) && !MayContain(line)) return false;
    if (!line.empty()) pending_.expects_traceback = AnnouncesTraceback(line);
    if (kind != LineKind::kPlain) {
      // Only an exception makes the plain lines before it part of a message; indented output does not.
      const bool may_follow = pending_.has_exception || pending_.is_block;
      if (pending_.undecided_end > 0 && kind == LineKind::kStack && !may_follow) return false;
      pending_.has_exception = pending_.has_exception || kind == LineKind::kException;
      TakeUndecided(raw);
      return true;
    }
    const bool may_be_last = line.empty() || (pending_.undecided_end > 0 && !pending_.is_block);
    if (pending_.is_open && !pending_.has_exception && !may_be_last && pending_.record.line_count < kMaxUndecided) {
      TakeUndecided(raw);
      return true;
    }
    // An exception's message may have many lines; the following lines decide.
    const bool may_belong = pending_.has_exception || pending_.is_block || pending_.record.level >= LogLevel::kWarn;
    if (!may_belong || pending_.is_full || pending_.undecided_lines >= kMaxUndecided) return false;
    if (pending_.undecided_end == 0) pending_.undecided_line = first_line_;
    Extend(raw, &pending_.undecided_end);
    ++pending_.undecided_lines;
    return true;
  }

  // Takes the line in, and those before it that might not have belonged to the record.
  void TakeUndecided(std::string_view raw) {
    pending_.record.line_count += pending_.undecided_lines + 1;
    pending_.undecided_end = 0;
    pending_.undecided_lines = 0;
    Extend(raw, &pending_.end);
  }

  // Takes the line in, as far as there is room.
  void Extend(std::string_view raw, size_t* end) {
    if (pending_.is_full) return;
    const size_t size = pending_.is_saved ? saved_.size() + 1 + raw.size()
                                          : static_cast<size_t>(raw.data() + raw.size() - pending_.begin);
    if (size > kMaxRecord + pending_.first_size) {
      pending_.is_full = true;
      ++cut_records_;
      return;
    }
    if (pending_.is_saved) {
      saved_ += '\n';
      saved_.append(raw);
      pending_.begin = saved_.data();
    }
    *end = size;
  }

  // Hands the pending record over; what was undecided is output.
  void Flush() {
    if (!pending_.is_set) return;
    pending_.is_set = false;
    LogRecord& record = pending_.record;
    record.thread = pending_.View(pending_.thread);
    record.logger = pending_.View(pending_.logger);
    record.message = pending_.View(pending_.message);
    record.text = WithoutCarriageReturn(std::string_view(pending_.begin, pending_.end));
    if (record.line_count > 1 && record.text.size() > pending_.first_size) {
      record.continuation = record.text.substr(pending_.first_size);
      record.continuation.remove_prefix(record.continuation.find('\n') + 1);
    } else if (record.level >= LogLevel::kWarn) {
      SplitEscapedLines(&record);
    }
    Emit(record);
    if (pending_.undecided_end <= pending_.end) return;
    int64_t line = pending_.undecided_line;
    std::string_view output(pending_.begin + pending_.end + 1, pending_.undecided_end - pending_.end - 1);
    while (!output.empty()) EmitOutput(WithoutCarriageReturn(TakeLine(&output)), line++);
  }

  // Collectors write a stack trace into one line: rsyslog with #012 for its line ends, logfmt with \n.
  void SplitEscapedLines(LogRecord* record) {
    constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {{"#012", "#011"}, {"\\n", "\\t"}};
    for (const auto& [line_end, tab] : kEscapes) {
      const size_t frame = record->message.find(fmt::format("{}{}at ", line_end, tab));
      if (frame == std::string_view::npos) continue;
      further_lines_ = Replaced(Replaced(record->message, line_end, "\n"), tab, "\t");
      const std::string_view lines = further_lines_;
      record->message = lines.substr(0, lines.find('\n'));
      record->continuation = lines.substr(record->message.size() + 1);
      return;
    }
  }

  void EmitOutput(std::string_view line, int64_t number) {
    LogRecord record;
    record.time_ns = TimeOf({});
    record.is_exact_time = is_exact_;
    record.message = line;
    record.text = line;
    record.line = number;
    Emit(record);
  }

  void EmitNamed(std::string_view line) {
    LogRecord record;
    record.time_ns = TimeOf(named_.time);
    record.is_exact_time = is_exact_;
    record.level = named_.level;
    record.has_header = true;
    record.thread = named_.thread;
    record.logger = named_.logger;
    record.message = named_.message;
    const size_t newline = record.message.find('\n');
    further_lines_.clear();
    if (newline != std::string_view::npos) {
      further_lines_ = record.message.substr(newline + 1);
      record.message = record.message.substr(0, newline);
    }
    if (!named_.stack.empty()) {
      if (!further_lines_.empty()) further_lines_ += '\n';
      further_lines_.append(named_.stack);
    }
    record.continuation = further_lines_;
    record.text = line;
    record.line = first_line_;
    Emit(record);
  }

  // Hands a record over, without what belongs to a secret that began in an earlier one.
  void Emit(LogRecord record) {
    const bool is_structured =
        !record.message.empty() &&
        (record.message.data() < record.text.data() || record.message.data() > record.text.data() + record.text.size());
    if (is_structured) {
      lines_of_record_.assign(record.message);
      if (!record.continuation.empty()) lines_of_record_.append(1, '\n').append(record.continuation);
    }
    const size_t header =
        is_structured || record.message.empty() ? 0 : static_cast<size_t>(record.message.data() - record.text.data());
    const std::optional<std::string> redacted =
        stream_.Add(is_structured ? std::string_view(lines_of_record_) : record.text.substr(header));
    if (!redacted) {
      handler_->OnRecord(record);
      return;
    }
    // The escaped text of a structured record is dropped.
    const std::string text =
        is_structured ? std::string(kRedacted) : std::string(record.text.substr(0, header)) + *redacted;
    const size_t newline = std::min(redacted->find('\n'), redacted->size());
    record.message = std::string_view(*redacted).substr(0, newline);
    record.continuation = std::string_view(*redacted).substr(std::min(newline + 1, redacted->size()));
    record.text = text;
    handler_->OnRecord(record);
  }

  // Copies the pending record, because its lines may be released.
  void Save() {
    if (!pending_.is_set || pending_.is_saved) return;
    saved_.assign(pending_.begin, std::max(pending_.end, pending_.undecided_end));
    pending_.begin = saved_.data();
    pending_.is_saved = true;
  }

  LogRecordHandler* handler_;
  RedactionStream stream_;
  std::string lines_of_record_;  // lines of a structured record
  MissingDates dates_;
  LogLayouts layouts_;
  LogHeader header_;
  NamedFields fields_;
  NamedRecord named_;
  LogTimeParser envelope_times_;
  LogTime envelope_time_;
  std::string head_;  // the first lines, until the layouts are learned from them
  bool has_learned_ = false;
  bool may_have_codes_ = false;  // the current block may have terminal codes
  std::optional<LineUnwrapper> unwrapper_;
  std::string row_;  // a table's row, whose quoted text has several lines
  Pending pending_;
  std::string saved_;
  std::string shown_;
  std::string first_of_two_;  // java.util.logging's first line, until the next line shows its level
  std::string two_lines_;
  std::string further_lines_;
  int64_t last_ns_ = 0;
  bool is_exact_ = false;
  int64_t lines_ = 0;
  int64_t first_line_ = 0;  // number of the first line of `lines_`, which begins the current record
  int64_t cut_records_ = 0;
  int64_t headers_ = 0;  // records with one
};

LogReader::LogReader(LogRecordHandler* handler, LogReaderOptions options)
    : impl_(std::make_unique<Impl>(handler, options)) {}
LogReader::~LogReader() = default;

void LogReader::AddLines(std::string_view lines) { impl_->AddLines(lines); }
void LogReader::Finish() { impl_->Finish(); }
int64_t LogReader::Lines() const { return impl_->Lines(); }
int64_t LogReader::CutRecords() const { return impl_->CutRecords(); }
std::vector<std::string> LogReader::Doubts() const { return impl_->Doubts(); }

}  // namespace sparkprof
