// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "analysis/machines/series.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "formats/records/profiler_records.h"

namespace sparkprof {
namespace {

// A series of an application, or a metric of a process in profilers' records. Views its data.
struct Metric {
  std::string_view name, series, profiler, process, process_id, host, application, executor, role, unit;
  std::optional<int64_t> pid;
  std::optional<bool> standard;
  SeriesKind kind = SeriesKind::kGauge;
  const std::vector<SeriesPoint>* points = nullptr;
};

// Records do not name the unit of loads.
std::string_view UnitOfRatio(std::string_view series) {
  const SeriesMeasure measure = MeasureOfSeries(series);
  const bool is_ratio = measure == SeriesMeasure::kLoad || measure == SeriesMeasure::kCpuPercent;
  return is_ratio ? UnitOfSeries(series) : std::string_view();
}

std::vector<Metric> MetricsOf(const std::vector<const Application*>& applications, const ProfilerRecords* records) {
  std::vector<Metric> metrics;
  for (const Application* application : applications) {
    std::string_view node;
    for (const ProfilerSetting& setting : application->settings) {
      if (application->is_node && setting.name == "monitor.host") node = setting.value;
    }
    for (const ApplicationSeries& series : application->series) {
      Metric& metric = metrics.emplace_back();
      metric.name = metric.series = series.name;
      metric.application = application->id;
      metric.host = node;
      metric.unit = UnitOfSeries(series.name);
      metric.kind = series.kind;
      metric.points = &series.points;
      if (series.executor >= 0) {
        const Executor& executor = application->executors[static_cast<size_t>(series.executor)];
        metric.executor = executor.id;
        metric.host = executor.host;
      }
      if (series.process < 0) continue;
      const Process& process = application->processes[static_cast<size_t>(series.process)].process;
      metric.process = process.name;
      metric.role = process.role;
      metric.pid = process.pid;
    }
  }
  if (records == nullptr) return metrics;
  for (const RecordSeries& series : records->series) {
    const RecordProcess& process = records->processes[series.process];
    Metric& metric = metrics.emplace_back();
    metric.name = series.metric.name;
    metric.series = series.metric.series;
    metric.profiler = RecordProfilerName(process.profiler);
    metric.process = process.name;
    metric.process_id = process.key;
    metric.host = process.host;
    metric.application = process.application_id;
    metric.role = process.role;
    metric.unit = series.metric.unit == RecordUnit::kNone ? UnitOfRatio(series.metric.series)
                                                          : UnitName(series.metric.unit, /*normalized=*/false);
    metric.standard = series.metric.is_standard;
    metric.kind = series.metric.kind;
    metric.points = &series.points;
    if (process.pid != 0) metric.pid = process.pid;
  }
  return metrics;
}

struct MetricSummary {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
};

MetricSummary SummaryOf(const Metric& metric) {
  MetricSummary summary;
  for (const SeriesPoint& point : *metric.points) {
    summary.minimum = std::min(summary.minimum, point.value);
    summary.maximum = std::max(summary.maximum, point.value);
  }
  return summary;
}

std::string PointsJson(const std::vector<SeriesPoint>& points, bool times) {
  JsonWriter json;
  json.BeginArray();
  for (const SeriesPoint& point : points) {
    if (times) {
      json.Value(point.time_ns / kNanosPerMilli);
    } else {
      json.Value(point.value);
    }
  }
  return json.EndArray().Take();
}

// Texts made on first access.
class LazyTexts {
 public:
  explicit LazyTexts(size_t rows) : texts_(rows) {}

  template <typename Make>
  std::string_view Get(size_t row, Make make) {
    if (texts_[row].empty()) texts_[row] = make();
    return texts_[row];
  }

 private:
  std::vector<std::string> texts_;
};

// The columns that name a metric; `metric` returns it for a row.
template <typename MetricOfRow>
std::vector<TableColumn> NameColumns(MetricOfRow metric, std::shared_ptr<LazyTexts> labels) {
  using enum ColumnType;
  using enum Visibility;
  const auto text = [metric](std::string_view Metric::*member) {
    return [metric, member](size_t row) { return TextCell(metric(row).*member); };
  };
  const auto label = [metric, labels](size_t row) {
    const Metric& of = metric(row);
    return Cell(labels->Get(row, [&of] { return LabelOfSeries(of.series); }));
  };
  const auto standard = [metric](size_t row) {
    const Metric& of = metric(row);
    return of.standard ? Cell(*of.standard) : Cell();
  };
  return {
      {"name", "name, as the profiler gave it", kText, kShown, text(&Metric::name)},
      {"label", "name for people", kLongText, kShown, label},
      {"series", "name of the series in sparkprof", kText, kHidden, text(&Metric::series)},
      {"unit", "unit of the values", kText, kHidden, text(&Metric::unit)},
      {"kind", "counter or gauge", kText, kHidden,
       [metric](size_t row) {
         return Cell(std::string_view(metric(row).kind == SeriesKind::kCounter ? "counter" : "gauge"));
       }},
      {"profiler", "profiler whose records have it; null for those of sparkprof", kText, kHidden,
       text(&Metric::profiler)},
      {"standard", "whether the profiler has it by default; null for those of sparkprof", kBoolean, kHidden, standard},
      {"applicationId", "application ID", kText, kHidden, text(&Metric::application)},
      {"executorId", "executor ID", kText, kShown, text(&Metric::executor), ColumnRole::kExecutor},
      {"process", "name of the process", kText, kShown, text(&Metric::process)},
      {"processId", "ID that the profiler gave to the process", kText, kHidden, text(&Metric::process_id)},
      {"pid", "process ID", kInteger, kShown, [metric](size_t row) { return OptionalCell(metric(row).pid); }},
      {"host", "host", kText, kHidden, text(&Metric::host)},
      {"role", "role of the process: driver, executor, jvm, python_worker, …", kText, kHidden, text(&Metric::role)},
  };
}

}  // namespace

Table MetricsTable(const std::vector<const Application*>& applications, const ProfilerRecords* records) {
  using enum ColumnType;
  using enum Visibility;
  const auto metrics = std::make_shared<const std::vector<Metric>>(MetricsOf(applications, records));
  const auto summaries = std::make_shared<std::vector<MetricSummary>>();
  for (const Metric& metric : *metrics) summaries->push_back(SummaryOf(metric));
  const auto labels = std::make_shared<LazyTexts>(metrics->size());
  const auto times = std::make_shared<LazyTexts>(metrics->size());
  const auto values = std::make_shared<LazyTexts>(metrics->size());
  const auto points_of = [metrics](size_t row) -> const std::vector<SeriesPoint>& { return *(*metrics)[row].points; };
  const auto point_cell = [points_of](auto cell) {
    return [points_of, cell](size_t row) { return points_of(row).empty() ? Cell() : cell(points_of(row)); };
  };
  const auto extreme = [summaries, points_of](double MetricSummary::*member) {
    return [=](size_t row) { return points_of(row).empty() ? Cell() : Cell((*summaries)[row].*member); };
  };
  Table table{.name = "metrics", .rows = metrics->size(), .columns = {}};
  table.columns = NameColumns([metrics](size_t row) -> const Metric& { return (*metrics)[row]; }, labels);
  table.columns.insert(
      table.columns.end(),
      {{"points", "number of points", kInteger, kShown,
        [points_of](size_t row) { return Cell(static_cast<int64_t>(points_of(row).size())); }},
       {"minimum", "smallest value", kByUnit, kShown, extreme(&MetricSummary::minimum)},
       {"maximum", "largest value", kByUnit, kShown, extreme(&MetricSummary::maximum)},
       {"last", "last value", kByUnit, kShown,
        point_cell([](const auto& points) { return Cell(points.back().value); })},
       {"firstTime", "time of the first point", kTime, kHidden,
        point_cell([](const auto& points) { return TimeCell(points.front().time_ns); }), ColumnRole::kBegin},
       {"lastTime", "time of the last point", kTime, kHidden,
        point_cell([](const auto& points) { return TimeCell(points.back().time_ns); }), ColumnRole::kEnd},
       {"times", "times of the points, ms since the epoch", kJson, kHidden,
        [=](size_t row) { return Cell(times->Get(row, [&] { return PointsJson(points_of(row), true); })); }},
       {"values", "values of the points", kJson, kHidden,
        [=](size_t row) { return Cell(values->Get(row, [&] { return PointsJson(points_of(row), false); })); }}});
  return table;
}

Table SeriesTable(const std::vector<const Application*>& applications, const ProfilerRecords* records) {
  using enum ColumnType;
  using enum Visibility;
  const auto metrics = std::make_shared<const std::vector<Metric>>(MetricsOf(applications, records));
  // The first row of each metric, and the end of the last one.
  const auto first = std::make_shared<std::vector<size_t>>(1, 0);
  for (const Metric& metric : *metrics) first->push_back(first->back() + metric.points->size());
  const auto place = [first](size_t row) {
    const auto next = std::upper_bound(first->begin(), first->end(), row);
    return static_cast<size_t>(next - first->begin()) - 1;
  };
  const auto point = [metrics, first, place](size_t row) {
    const size_t metric = place(row);
    return (*(*metrics)[metric].points)[row - (*first)[metric]];
  };
  const auto labels = std::make_shared<LazyTexts>(metrics->size());
  Table table{.name = "series", .rows = first->back(), .columns = {}};
  table.columns = NameColumns([metrics](size_t metric) -> const Metric& { return (*metrics)[metric]; }, labels);
  for (TableColumn& column : table.columns) {
    column.cell = [place, cell = std::move(column.cell)](size_t row) { return cell(place(row)); };
  }
  table.columns.insert(
      table.columns.end(),
      {{"time", "time of the point", kTime, kShown, [point](size_t row) { return TimeCell(point(row).time_ns); },
        ColumnRole::kBegin},
       {"value", "value of the point", kByUnit, kShown, [point](size_t row) { return Cell(point(row).value); }}});
  return table;
}

}  // namespace sparkprof
