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

// Cost of an application's executors, from the cores and memory that they held. A task costs its share while it runs;
// the rest is the cost of idle cores.
class Costs {
 public:
  Costs(const Application& application, const PriceList& prices);

  // Returns false if the executors' cores, memory or lifetime are unknown.
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

std::string CostText(double cost, const std::string& currency);

// Formats "0.0123–0.02 USD".
std::string CostText(const CostRange& range, const std::string& currency);

// Costs of the application, its tasks, and its idle cores: "Cost: 0.0123 USD, of which …".
std::string CostSentence(const Costs& costs);
std::string CostLine(const Costs& costs);

// Formats "Cost: 0.0123 USD, 0.02 USD before"; empty if one of them is unknown.
std::string CostChange(const std::optional<Costs>& before, const std::optional<Costs>& after);

// Task costs for each row of an application's table "jobs", "tags", "stages", "tasks" or "sql". Empty for other tables.
std::vector<double> CostsOfRows(const Application& application, const Costs& costs, std::string_view table);

// Adds "cost" to a table supported by CostsOfRows, "readCost" and "writeCost" to "datasets". Other tables are
// unchanged.
void AddCostColumn(const Application& application, const Costs& costs, Table* table);

}  // namespace sparkprof
