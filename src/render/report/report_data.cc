// SPDX-License-Identifier: Apache-2.0
#include "render/report/report_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/selection/application_status.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/row_choice.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "base/version.h"
#include "render/report/answers_json.h"
#include "render/report/column_area.h"
#include "render/report/embedded_file.h"
#include "render/report/info.h"
#include "render/report/report_tables.h"
#include "render/writers/gzip.h"

namespace sparkprof {
namespace {

constexpr std::string_view kMagic = "SPRFRPT1";
constexpr std::string_view kDataElement = R"(<script id="sparkprof-data" type="application/octet-stream"></script>)";
constexpr std::string_view kDataElementEnd = "</script>";

void WriteApplication(const Application& application, const Answers& answers, JsonWriter* json) {
  const TimeRange range = RangeOf(application);
  json->Key("application")
      .BeginObject()
      .Member("id", application.id)
      .Member("attempt", application.attempt)
      .Member("name", application.name)
      .Member("sparkVersion", application.spark_version)
      .Member("javaVersion", application.java_version)
      .Member("startTime", range.start_ns / kNanosPerMilli)
      .Member("endTime", range.end_ns / kNanosPerMilli)
      .Member("master", application.master)
      .Member("user", application.user)
      .Member("complete", application.complete)
      .Member("ended", application.ended)
      .Member("outcome", OutcomeInWords(application))
      .Member("foreign", application.is_foreign);
  if (answers.costs) {
    json->Key("cost");
    WriteCosts(*answers.costs, json);
  }
  json->EndObject();
}

// Samples keep at least half of the page, unless it is small.
RowLimits LimitsFor(size_t budget) {
  constexpr size_t kBytesOfTask = 35;
  constexpr size_t kFewestTasks = 100'000;
  RowLimits limits;
  limits.tasks = std::clamp(budget / 2 / kBytesOfTask, kFewestTasks, limits.tasks);
  return limits;
}

std::string_view SourcesLeftOut(const ReportOptions& options) {
  return options.sources == nullptr ? std::string_view() : std::string_view(options.sources->left_out);
}

// About, with room for the head; series have the most of the rest.
size_t BytesOfColumns(const Application& application, const CoarseSamples& samples, const ChosenRows& rows) {
  constexpr size_t kBytesOfSample = 37, kBytesOfTask = 320, kBytesOfPoint = 16, kBytesOfOthers = size_t{16} << 20;
  size_t points = 0;
  for (const ApplicationSeries& series : application.series) points += series.points.size();
  return samples.rows.size() * kBytesOfSample + rows.tasks.size() * kBytesOfTask + points * kBytesOfPoint +
         kBytesOfOthers;
}

void PadTo8(std::string* bytes) { bytes->resize((bytes->size() + 7) / 8 * 8); }

}  // namespace

std::string EncodeReportData(const Application& application, const Answers& answers, const OperatorCosts& operators,
                             const CoarseSamples& samples, const ReportOptions& options, const std::string& coarser) {
  JsonWriter json;
  ColumnArea columns;
  ReportStrings strings;
  json.BeginObject().Member("version", 1).Member("generator", NamedVersion());
  if (!options.start_tab.empty()) json.Member("startTab", options.start_tab);
  if (!options.start_view.empty()) json.Member("startView", options.start_view);
  WriteApplication(application, answers, &json);
  json.Key("summary").Raw(RenderInfoJson({{application, answers}}, nullptr, answers.lines));
  const ChosenRows rows = ChooseRows(application, answers.findings, LimitsFor(options.budget));
  columns.Reserve(BytesOfColumns(application, samples, rows));
  WriteSampleTables(application, samples, rows, options.sources, &strings, &columns, &json);
  strings.Write(&json);
  WriteJobs(application, answers, rows, &json);
  WriteTasks(application, rows, &columns, &json);
  constexpr size_t kTasksThatThePageCounts = 20'000;  // more would take part of the time in which it opens
  if (rows.tasks.size() < application.tasks.Size() || rows.tasks.size() > kTasksThatThePageCounts) {
    WriteConcurrency(application, &columns, &json);
  }
  WriteSql(application, answers, operators, rows, &json);
  WriteMachines(application, rows, options.note, &columns, &json);
  WriteHeap(application, rows, &columns, &json);
  WriteStorage(application, &columns, &json);
  WriteStreaming(application, &columns, &json);
  WriteWallTime(application, answers, rows, &columns, &json);
  WriteAnswers(application, answers, &json);
  WriteLogs(application, answers, &columns, &json);
  std::string dropped = coarser;
  for (const std::string_view more : {std::string_view(rows.left_out), SourcesLeftOut(options)}) {
    if (!dropped.empty() && !more.empty()) dropped += " ";
    dropped += more;
  }
  json.Key("dropped").BeginObject().Member("coarser", dropped).EndObject();
  const std::string text = json.EndObject().Take();
  std::string head(kMagic);
  const uint32_t length = static_cast<uint32_t>(text.size());
  head.append(reinterpret_cast<const char*>(&length), sizeof(length));
  head += text;
  PadTo8(&head);
  // Large, and most often with room for the head.
  return columns.Take().insert(0, head);
}

namespace {

// The most detailed data for which `render` returns at most `budget` bytes, or the coarsest.
template <typename Render>
std::string RenderWithin(const Application& application, const Answers& answers, const ReportOptions& options,
                         const Render& render) {
  constexpr size_t kMany = 1'000'000;  // samples that take long to sort
  const std::vector<Coarseness> steps = CoarsenessSteps(application);
  const OperatorCosts operators = CostOfOperators(application);
  double least_row_bytes = 2;  // the lower end of EstimateEmbeddedSize
  for (size_t step = 0;; ++step) {
    const bool last = step + 1 == steps.size();
    size_t expected_rows = 0;
    if (application.profile.samples.size() > kMany) {
      expected_rows = EstimateRows(application, steps[step]);
      if (!last && static_cast<double>(expected_rows) * least_row_bytes > static_cast<double>(options.budget)) continue;
    }
    CoarseSamples samples = Coarsen(application, steps[step], expected_rows + expected_rows / 16);
    // Compressing is what takes time: not for what cannot fit.
    if (!last && EstimateEmbeddedSize(samples) > 2 * options.budget) continue;
    const std::string coarser = DescribeCoarseness(application, steps[step]);
    const auto rows = static_cast<double>(std::max<size_t>(samples.rows.size(), 1));
    const std::string data = EncodeReportData(application, answers, operators, samples, options, coarser);
    samples = {};  // memory
    std::string rendered = render(data);
    if (last || rendered.size() <= options.budget) return rendered;
    // Coarser rows are rarely smaller.
    least_row_bytes = 0.9 * static_cast<double>(rendered.size()) / rows;
  }
}

}  // namespace

std::string RenderReportData(const Application& application, const Answers& answers, const ReportOptions& options) {
  return RenderWithin(application, answers, options, [](const std::string& data) { return GzipQuickly(data); });
}

Result<std::string> RenderReport(const Application& application, const Answers& answers, const ReportOptions& options) {
  const std::string_view page = ReportTemplate();
  const size_t element = page.find(kDataElement);
  if (element == std::string_view::npos) {
    return Fail(fmt::format("the report's page has no element {}; run `make build`", kDataElement));
  }
  const size_t gap = element + kDataElement.size() - kDataElementEnd.size();
  return RenderWithin(application, answers, options, [&](const std::string& data) {
    const std::string embedded = Base64Encode(Gzip(data));
    std::string report;
    report.reserve(page.size() + embedded.size());
    report += page.substr(0, gap);
    report += embedded;
    report += page.substr(gap);
    return report;
  });
}

}  // namespace sparkprof
