// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_results.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "suite/statistics.h"
#include "suite/suite_file.h"

namespace sparkprof {
namespace {

using Object = simdjson::dom::object;

double NumberAt(const Object& object, std::string_view key) {
  double number = 0;
  return object.at_key(key).get_double().get(number) == simdjson::SUCCESS ? number : 0;
}

void WriteMaxima(const std::map<std::string, TypeMaxima>& maxima, JsonWriter* json) {
  json->BeginObject();
  for (const auto& [type, most] : maxima) {
    json->Key(type).BeginObject().Member("processes", most.processes).Member("maxCpuPercent", most.max_cpu_percent);
    json->Member("maxRssBytes", most.max_rss_bytes);
    if (most.max_private_bytes > 0) json->Member("maxPrivateBytes", most.max_private_bytes);
    json->Member("maxVirtualBytes", most.max_virtual_bytes).EndObject();
  }
  json->EndObject();
}

void WriteRepeat(const RepeatResult& repeat, JsonWriter* json) {
  json->BeginObject().Member("repeat", repeat.repeat).Member("exitCode", repeat.exit_code);
  json->Member("timedOut", repeat.timed_out).Member("startTime", repeat.start_ns / kNanosPerMilli);
  json->Member("seconds", repeat.seconds).Member("cpuSeconds", repeat.cpu_seconds);
  json->Member("maxRssBytes", repeat.max_rss_bytes);
  json->Member("droppedRows", repeat.dropped_rows);
  json->Member("folder", repeat.folder).Key("maxima");
  WriteMaxima(repeat.maxima, json);
  json->EndObject();
}

void WriteJob(const JobResult& job, JsonWriter* json) {
  json->BeginObject().Member("name", job.name).Member("size", job.size);
  json->Member("profiled", job.is_profiled).Key("parameters").Object(job.parameters).Key("repeats").BeginArray();
  for (const RepeatResult& repeat : job.repeats) WriteRepeat(repeat, json);
  json->EndArray().EndObject();
}

void WriteGrowth(const SuiteResults& results, JsonWriter* json) {
  json->Key("growth").BeginArray();
  for (const Growth& growth : FitGrowth(results)) {
    json->BeginObject().Member("job", growth.job).Member("measure", growth.measure);
    json->Member("exponent", growth.exponent).Member("error", growth.error).EndObject();
  }
  json->EndArray();
}

RepeatResult ReadRepeat(const Object& object) {
  RepeatResult repeat;
  repeat.repeat = IntegerAt(object, "repeat", 1);
  repeat.exit_code = static_cast<int>(IntegerAt(object, "exitCode", 0));
  repeat.timed_out = BooleanAt(object, "timedOut");
  repeat.start_ns = NanosAt(object, "startTime");
  repeat.seconds = NumberAt(object, "seconds");
  repeat.cpu_seconds = NumberAt(object, "cpuSeconds");
  repeat.max_rss_bytes = IntegerAt(object, "maxRssBytes", 0);
  repeat.dropped_rows = IntegerAt(object, "droppedRows", 0);
  repeat.folder = TextAt(object, "folder");
  Object maxima, most;
  if (!ObjectAt(object, "maxima", &maxima)) return repeat;
  for (const auto& [type, value] : maxima) {
    if (value.get_object().get(most) != simdjson::SUCCESS) continue;
    repeat.maxima[std::string(type)] = {IntegerAt(most, "processes", 0), NumberAt(most, "maxCpuPercent"),
                                        IntegerAt(most, "maxRssBytes", 0), IntegerAt(most, "maxPrivateBytes", 0),
                                        IntegerAt(most, "maxVirtualBytes", 0)};
  }
  return repeat;
}

JobResult ReadJob(const Object& object) {
  JobResult job;
  job.name = TextAt(object, "name");
  if (double size = 0; object.at_key("size").get_double().get(size) == simdjson::SUCCESS) job.size = size;
  job.is_profiled = BooleanAt(object, "profiled");
  Object parameters, repeat;
  if (ObjectAt(object, "parameters", &parameters)) {
    for (const auto& [name, value] : parameters) job.parameters[std::string(name)] = TextOf(value);
  }
  simdjson::dom::array repeats;
  if (!ArrayAt(object, "repeats", &repeats)) return job;
  for (const auto& element : repeats) {
    if (element.get_object().get(repeat) == simdjson::SUCCESS) job.repeats.push_back(ReadRepeat(repeat));
  }
  return job;
}

}  // namespace

std::string SummaryJson(const SuiteResults& results) {
  JsonWriter json;
  json.BeginObject().Member("suite", results.suite).Member("version", results.version).Member("user", results.user);
  json.Member("status", results.status).Member("run", results.run);
  json.Member("startTime", results.start_ns / kNanosPerMilli).Member("endTime", results.end_ns / kNanosPerMilli);
  json.Key("jobs").BeginArray();
  for (const JobResult& job : results.jobs) WriteJob(job, &json);
  json.EndArray();
  WriteGrowth(results, &json);
  return json.EndObject().Take() + "\n";
}

Result<SuiteResults> ParseSummary(const std::string& text, const std::string& path) {
  simdjson::dom::parser parser;
  Object root;
  simdjson::dom::array jobs;
  if (parser.parse(text).get_object().get(root) != simdjson::SUCCESS || !ArrayAt(root, "jobs", &jobs)) {
    return Fail(fmt::format("{}: not a summary of `sparkprof suite run`", path));
  }
  SuiteResults results;
  results.suite = TextAt(root, "suite");
  results.version = TextAt(root, "version");
  results.user = TextAt(root, "user");
  results.status = TextAt(root, "status");
  results.start_ns = NanosAt(root, "startTime");
  results.end_ns = NanosAt(root, "endTime");
  if (int64_t run = 0; root["run"].get_int64().get(run) == simdjson::SUCCESS) results.run = run;
  Object job;
  for (const auto& element : jobs) {
    if (element.get_object().get(job) == simdjson::SUCCESS) results.jobs.push_back(ReadJob(job));
  }
  return results;
}

std::string JobLabel(const JobResult& job) {
  return job.size ? fmt::format("{}, size {}", job.name, SizeText(*job.size)) : job.name;
}

std::map<std::string, std::vector<double>> MeasuresOf(const JobResult& job) {
  std::map<std::string, std::vector<double>> measures;
  for (const RepeatResult& repeat : job.repeats) {
    if (repeat.exit_code != 0) continue;
    measures["seconds"].push_back(repeat.seconds);
    measures["cpuSeconds"].push_back(repeat.cpu_seconds);
    measures["maxRssBytes"].push_back(static_cast<double>(repeat.max_rss_bytes));
    for (const auto& [type, most] : repeat.maxima) {
      measures["maxRssBytes." + type].push_back(static_cast<double>(most.max_rss_bytes));
      measures["maxCpuPercent." + type].push_back(most.max_cpu_percent);
      measures["maxVirtualBytes." + type].push_back(static_cast<double>(most.max_virtual_bytes));
      if (most.max_private_bytes == 0) continue;
      measures["maxPrivateBytes." + type].push_back(static_cast<double>(most.max_private_bytes));
    }
  }
  return measures;
}

}  // namespace sparkprof
