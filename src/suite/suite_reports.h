// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "suite/comparison.h"
#include "suite/suite_results.h"

namespace sparkprof {

// JUnit XML for CI: a test case per repeat or compared measure.
std::string ResultsJunit(const SuiteResults& results);
std::string ComparisonJunit(const SuiteComparison& comparison);

// Tables that are readable both in a terminal and as Markdown.
std::string ResultsMarkdown(const SuiteResults& results);
std::string ComparisonMarkdown(const SuiteComparison& comparison);
// ComparisonMarkdown for one screen: changes first, with the number of omitted rows.
std::string ComparisonSummary(const SuiteComparison& comparison);

std::string ComparisonJson(const SuiteComparison& comparison);

}  // namespace sparkprof
