// SPDX-License-Identifier: Apache-2.0
#include "event_log/dbt_tags.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/dbt_query.h"

namespace sparkprof {

void AddDbtTags(Application* application) {
  std::unordered_map<int64_t, std::string> nodes;  // dbt node by SQL execution
  for (const SqlExecution& execution : application->sql_executions) {
    if (std::string node = DbtNodeOf(execution.description); !node.empty())
      nodes.emplace(execution.id, std::move(node));
  }
  for (Job& job : application->jobs) {
    std::string node = DbtNodeOf(job.description);
    const auto of_query = nodes.find(job.sql_execution);
    if (node.empty() && of_query != nodes.end()) node = of_query->second;
    if (node.empty()) continue;
    std::string tag = "dbt:" + node;
    if (std::find(job.tags.begin(), job.tags.end(), tag) == job.tags.end()) job.tags.push_back(std::move(tag));
  }
}

}  // namespace sparkprof
