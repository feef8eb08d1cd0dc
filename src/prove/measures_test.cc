// SPDX-License-Identifier: Apache-2.0
#include "prove/measures.h"

#include <gtest/gtest.h>

#include "prove/promise.h"

namespace sparkprof {
namespace {

RunMeasures Taking(double seconds, double peak_bytes, double gb_hours) {
  RunMeasures run;
  run.Set(ProofMeasure::kTime, seconds);
  run.Set(ProofMeasure::kPeakMemory, peak_bytes);
  run.Set(ProofMeasure::kGbHours, gb_hours);
  return run;
}

// Noisy pairs: half the time, a third more memory, other measures unknown.
PairedMeasures Halved() {
  PairedMeasures pairs;
  for (const double noise : {1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.002, 0.998})
    pairs.Add(Taking(10, 300e6, 0.010), Taking(5 * noise, 400e6 * noise, 0.005 * noise));
  return pairs;
}

TEST(MeasuresTest, NamesTheMeasuresThatGotWorse) {
  const std::vector<MeasureEffect> effects = Halved().Effects();
  ASSERT_EQ(effects.size(), 3u) << "CPU, core-hours and cost are unknown";
  const std::string text = MeasureLines(effects, ProofMeasure::kTime, "");
  EXPECT_TRUE(text.starts_with("Got worse    Peak memory\n")) << text;
  EXPECT_NE(text.find("Peak memory  +33%"), std::string::npos) << text;
  EXPECT_NE(text.find("GB-hours     -50%"), std::string::npos) << text;
  EXPECT_EQ(text.find("Time "), std::string::npos) << "the verdict has it";
  JsonWriter json;
  json.BeginObject();
  WriteMeasures(effects, "", &json);
  json.EndObject();
  EXPECT_NE(json.Text().find(R"("timeMs":{"before":10000,"delta":{"median":-5)"), std::string::npos) << json.Text();
  EXPECT_NE(json.Text().find(R"("worse":["peakBytes"])"), std::string::npos) << json.Text();
}

TEST(MeasuresTest, AMeasureThatOnePairLacksHasNoEffect) {
  PairedMeasures pairs = Halved();
  pairs.Add(Taking(10, kUnknownMeasure, 0.01), Taking(5, 400e6, 0.005));
  for (const MeasureEffect& effect : pairs.Effects()) EXPECT_NE(effect.measure, ProofMeasure::kPeakMemory);
}

TEST(MeasuresTest, SmallHoursAreMeasuredToo) {
  PairedMeasures pairs;
  for (const double noise : {1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.002, 0.998})
    pairs.Add(Taking(10, 1e6, 2e-5), Taking(10 * noise, 1e6, 1e-5 * noise));
  EXPECT_EQ(FindEffect(ProofMeasure::kGbHours, pairs.Effects())->decision, RunsDecision::kFaster);
}

TEST(PromiseTest, ComparesWhatWasPromisedWithWhatWasGained) {
  const std::vector<MeasureEffect> effects = Halved().Effects();
  EXPECT_EQ(OutcomeOf({ProofMeasure::kTime, 4, 6}, effects), PromiseOutcome::kKept);
  EXPECT_EQ(OutcomeOf({ProofMeasure::kTime, 1, 2}, effects), PromiseOutcome::kExceeded);
  EXPECT_EQ(OutcomeOf({ProofMeasure::kTime, 7, 9}, effects), PromiseOutcome::kMissed);
  EXPECT_EQ(OutcomeOf({ProofMeasure::kCost, 7, 9}, effects), PromiseOutcome::kOpen);
  const std::string line = PromiseLine({ProofMeasure::kTime, 4, 6}, effects);
  EXPECT_TRUE(line.starts_with("Promised     4.0–6.0 s, gained 5.0 s (95%: ")) << line;
  EXPECT_TRUE(line.ends_with(": kept\n")) << line;
  JsonWriter json;
  json.BeginObject();
  WritePromise(ProofPromise{ProofMeasure::kGbHours, 0.004, 0.004}, effects, &json);
  json.EndObject();
  EXPECT_EQ(json.Text(), R"({"promisedMs":null,"promisedGbHours":{"low":-0.004,"high":-0.004},"promise":"exceeded"})");
}

}  // namespace
}  // namespace sparkprof
