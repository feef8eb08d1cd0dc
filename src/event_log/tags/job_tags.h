// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The tags in a job's property spark.job.tags: those of SparkContext.addJobTag unchanged, and those of Spark Connect as
// "user:NAME", "session:ID", "operation:ID" and the tags of SparkSession.addTag. Without Spark's internal tags.
std::vector<std::string> JobTags(std::string_view property);

// Adds the tag "dbt:NODE" ("dbt:model.shop.orders") to the jobs of dbt's queries. Spark's Thrift Server, Kyuubi and
// `spark-sql` use the query as job description. Call after jobs and queries are complete.
void AddDbtTags(Application* application);

// Adds the tags "flow:NAME" and "dataset:NAME" to the jobs of a Declarative Pipeline's flows (Spark 4.1 and later).
// Spark's events do not contain these names: a streaming flow is named after its query and its dataset after the sink;
// a batch flow is named after the table that it writes. Call after jobs, queries and plans are complete.
void AddPipelineTags(Application* application);

}  // namespace sparkprof
