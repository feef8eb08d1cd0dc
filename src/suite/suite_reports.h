// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "suite/comparison.h"
#include "suite/suite_results.h"

namespace sparkprof {

// JUnit XML for CI: a test case for each repeat, or for each compared measure.
std::string ResultsJunit(const SuiteResults& results);
std::string ComparisonJunit(const SuiteComparison& comparison);

// Tables for a terminal and for Markdown alike.
std::string ResultsMarkdown(const SuiteResults& results);
std::string ComparisonMarkdown(const SuiteComparison& comparison);
// The same, on one screen: what changed first, and how many rows are left out.
std::string ComparisonSummary(const SuiteComparison& comparison);

std::string ComparisonJson(const SuiteComparison& comparison);

}  // namespace sparkprof
