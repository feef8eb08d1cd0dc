// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/costs/price_list.h"
#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

struct Table;

struct CostRange {
  double low = 0, high = 0;
};

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
  CostRange OfSaving(const Finding& finding) const;
  const std::string& Currency() const { return prices_.currency; }
  const PriceList& Prices() const { return prices_; }

 private:
  PriceList prices_;
  double total_ = 0;
  double of_slot_hour_ = 0;
  int64_t duration_ns_ = 0;
  int64_t task_ns_ = 0;
};

// "0.0123 USD".
std::string CostText(double cost, const std::string& currency);

// "0.0123–0.02 USD".
std::string CostText(const CostRange& range, const std::string& currency);

// The cost of the application, its tasks, and its cores without a task: "Cost: 0.0123 USD, of which …".
std::string CostSentence(const Costs& costs);
// The same as a line of the summary.
std::string CostLine(const Costs& costs);

// "Cost: 0.0123 USD, 0.02 USD before"; empty if one of them is not known.
std::string CostChange(const std::optional<Costs>& before, const std::optional<Costs>& after);

// The costs of the tasks of each row of the table "jobs", "tags", "stages", "tasks" or "sql" of an application. Empty
// for other tables.
std::vector<double> CostsOfRows(const Application& application, const Costs& costs, std::string_view table);

// Adds "cost" to a table with CostsOfRows, "readCost" and "writeCost" to "datasets". Other tables stay as they are.
void AddCostColumn(const Application& application, const Costs& costs, Table* table);

}  // namespace sparkprof
