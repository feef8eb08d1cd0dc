// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The dbt node of a query, "model.shop.orders", from the comment that dbt inserts into each query: /* {"app": "dbt",
// "dbt_version": "1.9.1", "node_id": "model.shop.orders", …} */ create table … Empty for other queries.
std::string DbtNodeOf(std::string_view query);

// Replaces the comment by the node: "dbt model.shop.orders: create table …", or "dbt: show databases" for dbt's own
// queries. Other queries are unchanged.
std::string ReadableQuery(std::string_view query);

// Replaces Spark Connect's call site, the begin of the client's plan in nine lines, by the client's line in the details
// of the stage, job or query: "Connect query at /jobs/report.py:13", or "Connect query" if its language does not send
// lines. Other call sites are unchanged.
std::string ReadableCallSite(std::string_view call_site, std::string_view details);

// The first table in a command's text, as quoted by Spark: "spark_catalog.default.sales" in "Append,
// `spark_catalog`.`default`.`sales`, …". Empty if there is none.
std::string TableNameIn(std::string_view text);

}  // namespace sparkprof
