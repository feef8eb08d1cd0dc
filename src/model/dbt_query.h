// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The node of dbt that a query is of, "model.shop.orders", by the comment that dbt puts into each query:
//   /* {"app": "dbt", "dbt_version": "1.9.1", "node_id": "model.shop.orders", …} */ create table …
// Empty for other queries.
std::string DbtNodeOf(std::string_view query);

// The query with the node in place of the comment: "dbt model.shop.orders: create table …", or "dbt: show
// databases" of dbt itself. Others are unchanged.
std::string ReadableQuery(std::string_view query);

}  // namespace sparkprof
