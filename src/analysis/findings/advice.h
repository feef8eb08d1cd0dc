// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

struct RemedyStep;

// Advice that depends on where the application ran, on its engine, and on the data of the input.

// "increase spark.executor.memory or use fewer cores per executor", or in local mode, which has the driver's heap only
// and gets its cores from the master: "increase spark.driver.memory or use fewer cores (local[N])".
std::string MoreMemoryAdvice(const Application& application);

inline constexpr const char* kLessGpuMemoryAdvice =
    "Run fewer tasks on a GPU at once (spark.rapids.sql.concurrentGpuTasks), or give them less data "
    "(spark.rapids.sql.batchSizeBytes, spark.sql.files.maxPartitionBytes, more shuffle partitions)";

// For a driver that fetches many rows by this call, "toLocalIterator at job.py:14"; the call may be empty.
std::string_view FewerRowsAdvice(std::string_view call);

// True if the application ran on Databricks, which derives the memory of executors from their node type.
bool IsOnDatabricks(const Application& application);

bool HasSamples(const Application& application);

// True if the stage's operators run on a GPU or in a native engine, whose CPU time is not in Spark's task metrics.
bool RunsOnOtherEngine(const Application& application, const Stage& stage);

// True if a person types the program at a prompt or in a notebook, or clients send queries: a shell, a Thrift server, a
// Spark Connect server.
bool IsInteractive(const Application& application);

// True if the application's Spark has this version or a later one, or an unknown version.
bool IsSparkAtLeast(const Application& application, int major, int minor);

// True if adaptive execution may change plans, by its setting or by the default of the Spark version.
bool UsesAdaptiveExecution(const Application& application);

// Current values of the settings named in this advice: "Now: spark.sql.shuffle.partitions=8 in the program's code". A
// value in the code overrides one set at startup. Empty if none is set.
std::string SettingsInForce(const Application& application, std::string_view advice);

// Settings that this advice changes: "Set spark.sql.shuffle.partitions=19", "enable spark.sql.adaptive.enabled".
std::vector<AdvisedSetting> AdvisedSettings(const Application& application, std::string_view advice);

std::vector<AdvisedSetting> AdvisedSettings(const Application& application, const std::vector<RemedyStep>& remedy);

bool IsPythonProgram(const Application& application);

// Returns a message of up to one and a half times `most` bytes unchanged, otherwise its first sentences or clauses. "…"
// marks a cut inside a clause.
std::string ShortenToClause(std::string_view text, size_t most);

// "1 core", "2,000 tasks".
std::string Counted(int64_t count, std::string_view noun);

// "1,272,097".
std::string CountText(int64_t count);

}  // namespace sparkprof
