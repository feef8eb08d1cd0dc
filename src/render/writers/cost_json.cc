// SPDX-License-Identifier: Apache-2.0
#include "render/writers/cost_json.h"

namespace sparkprof {

void WriteCosts(const Costs& costs, JsonWriter* json) {
  json->BeginObject().Member("total", costs.Total()).Member("tasks", costs.OfTasks());
  json->Member("currency", costs.Currency()).EndObject();
}

void WriteSavedCost(const Costs& costs, const Finding& finding, JsonWriter* json) {
  const CostRange saved = costs.OfSaving(finding);
  json->BeginObject().Member("low", saved.low).Member("high", saved.high);
  json->Member("currency", costs.Currency()).EndObject();
}

}  // namespace sparkprof
