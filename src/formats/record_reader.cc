// SPDX-License-Identifier: Apache-2.0
#include "formats/record_reader.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "formats/records/record_json.h"
#include "formats/records/record_kinds.h"

namespace sparkprof {
namespace {

constexpr std::string_view kObjectBegin = R"({")";
constexpr std::string_view kConsole = "ConsoleOutputReporter - ";

// Possible start of the first JSON object with a member.
size_t FindObject(std::string_view line) { return line.starts_with(kObjectBegin) ? 0 : line.find(kObjectBegin); }

// Members that records have and other JSON in a log mostly has not.
bool LooksLikeRecord(std::string_view line) {
  constexpr std::string_view kSigns[] = {kConsole,           R"("stacktrace":)",  R"("epochMillis":)",
                                         R"("metricName":)", R"("memoryPools":)", R"("processUuid":)",
                                         R"("stat":[{")"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) { return line.find(sign) != std::string_view::npos; });
}

}  // namespace

class RecordReader::Impl {
 public:
  Impl(ProfilerRecords* records, RecordReadOptions options)
      : builder_(records, options), uber_(&builder_), pyspark_(&builder_), babar_(&builder_) {}

  // `readable` bytes can be read from the line's start. The number of the first damaged line; 0 = none.
  int64_t FirstDamagedLine() const { return first_damaged_line_; }
  void CountLine() { ++line_number_; }

  void AddLine(std::string_view line, size_t readable) {
    if (const size_t object = FindObject(line); object != std::string_view::npos) {
      if (!AddObjects(line.substr(object), readable - object) && LooksLikeRecord(line)) Damaged();
    } else if (const size_t babar = BabarLines::Find(line); babar != std::string_view::npos) {
      if (!babar_.Add(line.substr(babar))) Damaged();
    } else if (PySparkRecords::LooksUnquoted(line)) {
      pyspark_.AddUnquoted(line);
    } else if (line.find(kConsole) != std::string_view::npos) {
      Damaged();
    }
  }

  void Finish() { builder_.Finish(); }

 private:
  void Damaged() {
    if (builder_.records().damaged_lines++ == 0) first_damaged_line_ = line_number_;
  }

  // Adds the object at the start of `text` and objects directly after it. False if one is not a complete record.
  bool AddObjects(std::string_view text, size_t readable) {
    bool all_whole = true;
    while (true) {
      size_t next = std::string_view::npos;
      if (json_.Parse(text, readable, builder_.options().details)) {
        if (!AddObject() && !pyspark_.AddUnquoted(text)) all_whole = false;
        next = text.find(kObjectBegin, json_.Size());
      } else if (pyspark_.AddUnquoted(text)) {
        return all_whole;
      } else {
        all_whole = false;
        next = text.find(kObjectBegin, text.find(kConsole));
      }
      if (next == std::string_view::npos) return all_whole;
      text.remove_prefix(next);
      readable -= next;
    }
  }

  bool AddObject() {
    const bool is_pyspark = json_.Has(RecordKey::kRddId) || json_.Has(RecordKey::kPid);
    return is_pyspark ? pyspark_.Add(json_) : uber_.Add(json_);
  }

  RecordBuilder builder_;
  RecordJson json_;
  UberRecords uber_;
  PySparkRecords pyspark_;
  BabarLines babar_;
  int64_t line_number_ = 0;
  int64_t first_damaged_line_ = 0;
};

RecordReader::RecordReader(ProfilerRecords* records, RecordReadOptions options)
    : impl_(std::make_unique<Impl>(records, options)) {}
RecordReader::~RecordReader() = default;

void RecordReader::AddLines(std::string_view lines) {
  while (!lines.empty()) {
    const size_t readable = lines.size();
    const std::string_view line = WithoutCarriageReturn(TakeLine(&lines));
    impl_->CountLine();
    if (!line.empty()) impl_->AddLine(line, readable);
  }
}

void RecordReader::Finish() { impl_->Finish(); }

int64_t RecordReader::FirstDamagedLine() const { return impl_->FirstDamagedLine(); }

}  // namespace sparkprof
