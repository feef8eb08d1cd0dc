// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/lines.h"
#include "base/redaction/redaction.h"
#include "base/redaction/redaction_stream.h"
#include "inputs/cri_line.h"
#include "text_log/line_prefix.h"
#include "text_log/log_header.h"
#include "text_log/missing_dates.h"
#include "text_log/stack_lines.h"
#include "text_log/structured_line.h"

namespace sparkprof {
namespace {

// Plain lines after a warning or error that may still turn out to be part of its exception's message.
constexpr int64_t kMaxUndecided = 100;

// "[Stage 0:====> (1 + 2) / 8]\r24/01/15 …" -> "24/01/15 …", "\x1b[32mINFO\x1b[0m" -> "INFO".
std::string WithoutTerminalCodes(std::string_view line) {
  const size_t overwritten = line.rfind('\r');
  if (overwritten != std::string_view::npos) line.remove_prefix(overwritten + 1);
  std::string shown;
  while (!line.empty()) {
    const size_t escape = line.find('\x1b');
    shown.append(line.substr(0, escape));
    if (escape == std::string_view::npos) break;
    line.remove_prefix(escape + 1);
    if (!line.starts_with('[')) continue;
    // Parameters, then a final letter (ECMA-48, 5.4).
    const size_t last = line.find_first_not_of("0123456789;:<=>?!\"#$%&'()*+,-./ ", 1);
    line.remove_prefix(last == std::string_view::npos ? line.size() : last + 1);
  }
  return shown;
}

}  // namespace

class LogReader::Impl {
 public:
  Impl(LogRecordHandler* handler, const LogReaderOptions& options)
      : handler_(handler), dates_(options.zone, options.latest_ns) {}

  void AddLines(std::string_view lines) {
    while (!lines.empty()) AddEnveloped(TakeLine(&lines));
    Save();
  }

  void Finish() {
    for (std::string& partial : partial_) {
      if (partial.empty()) continue;
      Save();
      unwrapped_.swap(partial);
      --lines_;  // they were counted
      partial_lines_ = std::max<int64_t>(0, partial_lines_ - 1);
      AddLine(unwrapped_);
    }
    EmitFirstOfTwo();
    Flush();
  }

  int64_t Lines() const { return lines_; }
  int64_t CutRecords() const { return cut_records_; }
  bool HasAssumedDates() const { return dates_.HasAssumed(); }

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
    size_t first_size = 0;  // of the first line
    Part thread, logger, message;
    size_t end = 0;            // after its last line
    size_t undecided_end = 0;  // after the last line that may belong to it; 0 = none
    int64_t undecided_lines = 0;
    int64_t undecided_line = 0;  // the first one's number
    bool has_exception = false;
    bool expects_traceback = false;  // the last line that is not empty announces one
    bool is_open = false;            // the message ends with ':' or '{', so it continues
    bool is_full = false;

    std::string_view View(const Part& part) const { return std::string_view(begin + part.at, part.size); }
  };

  // Removes the envelopes of lines first.
  void AddEnveloped(std::string_view line) {
    LogTime time;
    std::string_view text;
    bool is_stderr = false;
    if (line.starts_with('{') && structured_.ParseDocker(line, &time, &text, &is_stderr)) {
      const bool is_whole = text.ends_with('\n');
      if (is_whole) text.remove_suffix(1);
      AddPart(text, time, is_stderr, !is_whole);
    } else if (line.starts_with('{') && structured_.ParseTextPayload(line, &time, &text)) {
      const std::string lines(text);
      for (std::string_view left = lines; !left.empty();) AddPart(TakeLine(&left), time, false, false);
    } else if (const std::optional<CriLine> cri = ParseCri(line, &time)) {
      AddPart(cri->text, time, cri->is_stderr, cri->continues);
    } else {
      // Kubernetes wraps every line of a file: the first lines decide.
      if (lines_ > 20 && envelope_time_.size == 0) may_have_cri_ = false;
      const std::string_view rest = prefix_.Remove(line, &envelope_time_);
      const bool is_whole = rest.size() == line.size();
      if (!is_whole) Save();
      AddShown(rest);
      if (!is_whole) Save();
    }
  }

  std::optional<CriLine> ParseCri(std::string_view line, LogTime* time) {
    std::optional<CriLine> cri;
    if (may_have_cri_) cri = ParseCriLine(line);
    if (!cri) return {};
    *time = envelope_times_.Parse(cri->time);
    if (time->size != cri->time.size() || !time->has_zone) return {};
    return cri;
  }

  // Parts of a line may have lines of the other stream between them.
  void AddPart(std::string_view text, const LogTime& time, bool is_stderr, bool is_partial) {
    envelope_time_ = time;
    std::string& partial = partial_[is_stderr ? 1 : 0];
    if (partial.empty() || !partial_[is_stderr ? 0 : 1].empty()) partial_lines_ = 0;
    if (is_partial) {
      if (partial.size() + text.size() <= kMaxRecord) partial.append(text);
      ++lines_;
      ++partial_lines_;
      return;
    }
    Save();
    unwrapped_.swap(partial);
    partial.clear();
    unwrapped_.append(text);
    AddShown(unwrapped_);
    Save();
    unwrapped_.clear();
  }

  // Removes what only a terminal needs: progress bars, which a carriage return overwrites, and escape sequences.
  void AddShown(std::string_view line) {
    const std::string_view rest = WithoutCarriageReturn(line);
    if (rest.find('\x1b') == std::string_view::npos && rest.find('\r') == std::string_view::npos) {
      AddLine(line);
      return;
    }
    Save();
    shown_ = WithoutTerminalCodes(rest);
    AddLine(shown_);
    Save();
  }

  void AddLine(std::string_view raw) {
    ++lines_;
    first_line_ = lines_ - std::exchange(partial_lines_, 0);
    const std::string_view line = WithoutCarriageReturn(raw);
    if (!first_of_two_.empty() && BeginTwoLines(line)) return;
    if (header_parser_.Parse(line, &header_, envelope_time_.size > 0)) {
      Flush();
      if (header_.is_first_of_two) {
        first_of_two_ = line;
        return;
      }
      Begin(raw, line);
      return;
    }
    if (line.starts_with('{') && structured_.Parse(line, &structured_record_)) {
      Flush();
      EmitStructured(line);
      return;
    }
    if (pending_.is_set && Continue(raw, line)) return;
    Flush();
    if (!BeginsUnloggedException(line)) {
      EmitOutput(line, first_line_);
      return;
    }
    header_ = {};
    header_.level = LogLevel::kError;
    Begin(raw, line);
    pending_.record.has_header = false;
    pending_.has_exception = true;
  }

  // Begins a record of the line before and `line`, as java.util.logging writes them.
  bool BeginTwoLines(std::string_view line) {
    header_parser_.Parse(first_of_two_, &header_);
    if (!LogHeaderParser::ParseSecond(line, &header_)) {
      EmitFirstOfTwo();
      return false;
    }
    const size_t logger = static_cast<size_t>(header_.logger.data() - first_of_two_.data());
    two_lines_.assign(first_of_two_).append(1, '\n').append(line);
    header_.logger = std::string_view(two_lines_).substr(logger, header_.logger.size());
    header_.message += first_of_two_.size() + 1;
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
    pending_.message = {header_.message, std::min(header_.message_end, line.size()) - header_.message};
    pending_.is_open = line.ends_with(':') || line.ends_with('{');
    LogRecord& record = pending_.record;
    record.time_ns = TimeOf(header_.time);
    record.is_exact_time = is_exact_;
    record.level = header_.level;
    record.has_header = true;
    record.line = first_line_;
    if (record.level >= LogLevel::kWarn) {
      pending_.has_exception = line.find("Exception: ") != std::string_view::npos ||
                               line.find("Error: ") != std::string_view::npos || line.ends_with("Exception");
    }
  }

  // Whether a printed exception may be part of the pending record.
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
      if (pending_.undecided_end > 0 && kind == LineKind::kStack && !pending_.has_exception) return false;
      pending_.has_exception = pending_.has_exception || kind == LineKind::kException;
      pending_.record.line_count += pending_.undecided_lines + 1;
      pending_.undecided_end = 0;
      pending_.undecided_lines = 0;
      Extend(raw, &pending_.end);
      return true;
    }
    if (pending_.is_open && !pending_.has_exception && !line.empty() && pending_.record.line_count < kMaxUndecided) {
      ++pending_.record.line_count;
      Extend(raw, &pending_.end);
      return true;
    }
    // An exception's message may have many lines; the following lines decide.
    const bool may_belong = pending_.has_exception || pending_.record.level >= LogLevel::kWarn;
    if (!may_belong || pending_.is_full || pending_.undecided_lines >= kMaxUndecided) return false;
    if (pending_.undecided_end == 0) pending_.undecided_line = first_line_;
    Extend(raw, &pending_.undecided_end);
    ++pending_.undecided_lines;
    return true;
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
    }
    Emit(record);
    if (pending_.undecided_end <= pending_.end) return;
    int64_t line = pending_.undecided_line;
    std::string_view output(pending_.begin + pending_.end + 1, pending_.undecided_end - pending_.end - 1);
    while (!output.empty()) EmitOutput(WithoutCarriageReturn(TakeLine(&output)), line++);
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

  void EmitStructured(std::string_view line) {
    LogRecord record;
    record.time_ns = TimeOf(structured_record_.time);
    record.is_exact_time = is_exact_;
    record.level = structured_record_.level;
    record.has_header = true;
    record.thread = structured_record_.thread;
    record.logger = structured_record_.logger;
    record.message = structured_record_.message;
    const size_t newline = record.message.find('\n');
    further_lines_.clear();
    if (newline != std::string_view::npos) {
      further_lines_ = record.message.substr(newline + 1);
      record.message = record.message.substr(0, newline);
    }
    if (!structured_record_.stack.empty()) {
      if (!further_lines_.empty()) further_lines_ += '\n';
      further_lines_.append(structured_record_.stack);
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
  std::string lines_of_record_;  // of a structured one
  MissingDates dates_;
  LogHeaderParser header_parser_;
  LogHeader header_;
  StructuredLineParser structured_;
  StructuredRecord structured_record_;
  LogTimeParser envelope_times_;
  LinePrefix prefix_;
  LogTime envelope_time_;
  bool may_have_cri_ = true;
  Pending pending_;
  std::string saved_;
  std::string unwrapped_;
  std::string shown_;
  std::string first_of_two_;  // java.util.logging's first line, until the next line shows its level
  std::string two_lines_;
  std::array<std::string, 2> partial_;  // of standard output and standard error
  std::string further_lines_;
  int64_t last_ns_ = 0;
  bool is_exact_ = false;
  int64_t lines_ = 0;
  int64_t partial_lines_ = 0;  // the last ones of `lines_`, with their text in `partial_`
  int64_t first_line_ = 0;     // of `lines_`, the first line of the current record
  int64_t cut_records_ = 0;
};

LogReader::LogReader(LogRecordHandler* handler, LogReaderOptions options)
    : impl_(std::make_unique<Impl>(handler, options)) {}
LogReader::~LogReader() = default;

void LogReader::AddLines(std::string_view lines) { impl_->AddLines(lines); }
void LogReader::Finish() { impl_->Finish(); }
int64_t LogReader::Lines() const { return impl_->Lines(); }
int64_t LogReader::CutRecords() const { return impl_->CutRecords(); }
bool LogReader::HasAssumedDates() const { return impl_->HasAssumedDates(); }

}  // namespace sparkprof
