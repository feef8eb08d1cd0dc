// SPDX-License-Identifier: Apache-2.0
#include "loader/lineage.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"

namespace sparkprof {
namespace {

using simdjson::dom::object;

constexpr size_t kMaxDatasets = 50;  // maximum per run
constexpr int64_t kNoJob = -1;

// The dataset's table in a catalog; empty if it has none.
std::string_view TableOf(const object& dataset) {
  object facets, symlinks;
  simdjson::dom::array identifiers;
  if (!ObjectAt(dataset, "facets", &facets) || !ObjectAt(facets, "symlinks", &symlinks) ||
      !ArrayAt(symlinks, "identifiers", &identifiers)) {
    return {};
  }
  for (const simdjson::dom::element element : identifiers) {
    object identifier;
    const bool is_table =
        element.get_object().get(identifier) == simdjson::SUCCESS && TextAt(identifier, "type") == "TABLE";
    if (is_table && !TextAt(identifier, "name").empty()) return TextAt(identifier, "name");
  }
  return {};
}

// The dataset's table in a catalog; else its path, or its namespace and name.
std::string NameOf(const object& dataset) {
  if (const std::string_view table = TableOf(dataset); !table.empty()) return std::string(table);
  std::string text(TextAt(dataset, "namespace"));
  const std::string_view name = TextAt(dataset, "name");
  if (name.empty() || text.empty()) return std::string(name);
  if (!name.starts_with('/')) {
    text += '/';
  } else if (text.find("://") == std::string::npos) {
    text += ':';  // results in "file:/data/sales"
  }
  text += name;
  return text;
}

void AddDatasets(const object& event, std::string_view member, std::set<std::string>* names) {
  simdjson::dom::array datasets;
  if (!ArrayAt(event, member, &datasets)) return;
  for (const simdjson::dom::element element : datasets) {
    object dataset;
    if (names->size() >= kMaxDatasets || element.get_object().get(dataset) != simdjson::SUCCESS) continue;
    if (std::string name = NameOf(dataset); !name.empty()) names->insert(RedactText(name));
  }
}

void SetOnce(std::string_view text, std::string* target) {
  if (target->empty()) *target = text;
}

std::vector<std::string> TagsOf(const std::string& id, const std::string& job, const std::set<std::string>& inputs,
                                const std::set<std::string>& outputs) {
  std::vector<std::string> tags;
  if (!job.empty()) tags.push_back("lineage:" + job);
  tags.push_back("run:" + RedactText(id));
  for (const std::string& input : inputs) tags.push_back("input:" + input);
  for (const std::string& output : outputs) tags.push_back("output:" + output);
  // Spark's property for job tags is comma-separated, and so are tags in recordings.
  for (std::string& tag : tags) std::replace(tag.begin(), tag.end(), ',', ';');
  return tags;
}

}  // namespace

bool Lineage::Add(std::string_view event) {
  JsonParser parser;
  object root, run, job;
  if (parser.Parse(event).get_object().get(root) != simdjson::SUCCESS || !ObjectAt(root, "run", &run)) return false;
  const std::string_view id = TextAt(run, "runId");
  if (id.empty()) return false;
  Run& known = runs_[std::string(id)];
  if (ObjectAt(root, "job", &job)) SetOnce(RedactText(TextAt(job, "name")), &known.job);
  AddDatasets(root, "inputs", &known.inputs);
  AddDatasets(root, "outputs", &known.outputs);
  object facets, facet, inner;
  if (!ObjectAt(run, "facets", &facets)) return true;
  if (ObjectAt(facets, "parent", &facet) && ObjectAt(facet, "run", &inner)) {
    SetOnce(TextAt(inner, "runId"), &known.parent);
  }
  if (ObjectAt(facets, "spark_applicationDetails", &facet)) {
    SetOnce(TextAt(facet, "applicationId"), &known.application_id);
  }
  if (ObjectAt(facets, "spark_properties", &facet) && ObjectAt(facet, "properties", &inner)) {
    SetOnce(TextAt(inner, "spark.app.id"), &known.application_id);
  }
  if (ObjectAt(facets, "spark_jobDetails", &facet)) {
    if (const int64_t spark_job = IntegerAt(facet, "jobId", kNoJob); spark_job >= 0) known.jobs.insert(spark_job);
  }
  return true;
}

std::string_view Lineage::ApplicationOf(const Run& run) const {
  if (!run.application_id.empty()) return run.application_id;
  const auto parent = runs_.find(run.parent);
  return parent == runs_.end() ? std::string_view() : std::string_view(parent->second.application_id);
}

void Lineage::AddTags(bool is_only, Application* application) const {
  std::unordered_map<int64_t, std::vector<Job*>> jobs_of_query;
  std::unordered_map<int64_t, Job*> jobs;
  for (Job& job : application->jobs) {
    jobs.emplace(job.id, &job);
    if (job.sql_execution >= 0) jobs_of_query[job.sql_execution].push_back(&job);
  }
  for (const auto& [id, run] : runs_) {
    const std::string_view of_run = ApplicationOf(run);
    if (of_run.empty() ? !is_only : of_run != application->id) continue;
    // The listener names only the jobs whose start it sees; the query's other jobs belong to the run, too.
    std::set<Job*> of_query;
    for (const int64_t job : run.jobs) {
      const auto found = jobs.find(job);
      if (found == jobs.end()) continue;
      of_query.insert(found->second);
      const auto query = jobs_of_query.find(found->second->sql_execution);
      if (query != jobs_of_query.end()) of_query.insert(query->second.begin(), query->second.end());
    }
    const std::vector<std::string> tags = TagsOf(id, run.job, run.inputs, run.outputs);
    for (Job* const job : of_query) {
      for (const std::string& tag : tags) {
        if (std::find(job->tags.begin(), job->tags.end(), tag) == job->tags.end()) job->tags.push_back(tag);
      }
    }
  }
}

}  // namespace sparkprof
