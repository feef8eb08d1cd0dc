// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/table.h"
#include "analysis/tuning/price_list.h"
#include "model/application.h"

namespace sparkprof {

// The cost of an application's executors, by the cores and the memory that they held. A task costs its share of them
// while it runs; the rest is the cost of cores without a task.
class Costs {
 public:
  Costs(const Application& application, const PriceList& prices);

  // False if the input does not show how long the executors held which cores and memory.
  bool IsKnown() const { return total_ > 0; }
  double Total() const { return total_; }
  double OfTasks() const { return OfTaskTime(task_ns_); }
  double OfTaskTime(int64_t time_ns) const;
  // The cost of all executors for a part of the application's duration.
  double OfDuration(int64_t time_ns) const;
  const std::string& Currency() const { return currency_; }

 private:
  std::string currency_;
  double total_ = 0;
  double of_slot_hour_ = 0;
  int64_t duration_ns_ = 0;
  int64_t task_ns_ = 0;
};

// "0.0123 USD".
std::string CostText(double cost, const std::string& currency);

// A line of the summary: what the application costs, its tasks, and its cores without a task. Empty if it is not known.
std::string CostLine(const Application& application, const PriceList& prices);

// Adds the column "cost" to the table of jobs, stages, tasks or SQL executions of an application: that of the tasks of
// each row. Other tables stay as they are.
void AddCostColumn(const Application& application, const PriceList& prices, Table* table);

}  // namespace sparkprof
