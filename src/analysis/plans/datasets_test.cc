// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/datasets.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

PlanNode Node(std::string name, std::string text, std::vector<int64_t> stages = {}) {
  PlanNode node;
  node.name = std::move(name);
  node.text = std::move(text);
  node.stages = std::move(stages);
  return node;
}

// "NAMESPACE NAME (TABLE, FORMAT)"
std::string Text(const std::optional<Dataset>& dataset) {
  return dataset ? dataset->space + " " + dataset->name + " (" + dataset->table + ", " + dataset->format + ")" : "none";
}
std::string Read(const std::string& name, const std::string& text) {
  const PlanNode node = Node(name, text);
  return Text(DatasetRead(OperatorsOf(node).at(0)));
}
std::string Written(const std::string& name, const std::string& text) {
  const PlanNode node = Node(name, text);
  return Text(DatasetWritten(OperatorsOf(node).at(0)));
}

TEST(DatasetsTest, ALocationHasTheNamesOfOpenLineage) {
  const auto at = [](std::string_view location) {
    const Dataset dataset = DatasetAt(location);
    return dataset.space + " " + dataset.name;
  };
  EXPECT_EQ(at("file:/data/sales"), "file /data/sales");
  EXPECT_EQ(at("file:///data/sales/"), "file /data/sales");
  EXPECT_EQ(at("/data/sales"), "file /data/sales");
  EXPECT_EQ(at("hdfs://nn:8020/data/sales"), "hdfs://nn:8020 /data/sales");
  EXPECT_EQ(at("s3a://lake/shop/orders/day=2026-01-01/hour=3"), "s3://lake shop/orders");
  EXPECT_EQ(at("/data/sales/day=1/part-0.csv"), "file /data/sales");
  EXPECT_EQ(at("/data/sales/part-0.csv"), "file /data/sales/part-0.csv");
  EXPECT_EQ(at("s3://lake"), "s3://lake /");
  EXPECT_EQ(at("s3://my.lake/"), "s3://my.lake /");
  EXPECT_EQ(at("gs://lake/orders"), "gs://lake orders");
  EXPECT_EQ(at("abfss://box@store.dfs.core.windows.net/orders"), "abfss://box@store.dfs.core.windows.net orders");
}

TEST(DatasetsTest, TheTextOfADatasetIsItsTableOrPlace) {
  EXPECT_EQ(TextOf({"s3://lake", "shop/orders", "shop.orders", ""}), "shop.orders");
  EXPECT_EQ(TextOf({"s3://lake", "shop/orders", "", ""}), "s3://lake/shop/orders");
  EXPECT_EQ(TextOf({"hdfs://nn", "/orders", "", ""}), "hdfs://nn/orders");
  EXPECT_EQ(TextOf({"file", "/orders", "", ""}), "/orders");
}

TEST(DatasetsTest, AScanHasALocationOrATable) {
  EXPECT_EQ(
      Read("Scan parquet spark_catalog.shop.orders",
           "FileScan parquet spark_catalog.shop.orders[id#0L] Batched: true, DataFilters: [], Format: Parquet, "
           "Location: InMemoryFileIndex(1 paths)[s3a://lake/shop/orders], PartitionFilters: [], PushedFilters: []"),
      "s3://lake shop/orders (spark_catalog.shop.orders, parquet)");
  EXPECT_EQ(Read("Scan csv ",
                 "FileScan csv [a#0] Location: InMemoryFileIndex(2 paths)[file:/data/a/x=1, "
                 "file:/data/b], PartitionFilters: []"),
            "file /data (, csv)");
  EXPECT_EQ(Read("Scan hive shop.orders", "Scan hive shop.orders [id#0], HiveTableRelation [`shop`.`orders`]"),
            " shop.orders (shop.orders, hive)");
  EXPECT_EQ(Read("BatchScan lake.shop.orders", "BatchScan lake.shop.orders[id#0L] lake.shop.orders (branch=null)"),
            " lake.shop.orders (lake.shop.orders, )");
  EXPECT_EQ(Read("BatchScan parquet file:/data/sales",
                 "BatchScan parquet file:/data/sales[id#0] ParquetScan DataFilters: [], Format: parquet, Location: "
                 "InMemoryFileIndex(1 paths)[file:/data/sales], PartitionFilters: []"),
            "file /data/sales (, parquet)");
  EXPECT_EQ(Read("Scan JDBCRelation(public.orders) [numPartitions=1] ", "Scan JDBCRelation(public.orders) [id#0]"),
            " public.orders (public.orders, jdbc)");
  EXPECT_EQ(Read("Scan JDBCRelation((select id, day from orders) Q) [numPartitions=8] ", "Scan JDBCRelation(…) [id#0]"),
            " (select id, day from orders) Q ((select id, day from orders) Q, jdbc)");
}

TEST(DatasetsTest, OtherOperatorsReadNoDataset) {
  EXPECT_EQ(Read("Range", "Range (0, 10, step=1, splits=2)"), "none");
  EXPECT_EQ(Read("Scan ExistingRDD", "Scan ExistingRDD[id#0]"), "none");
  EXPECT_EQ(Read("Scan ExistingRDD Delta Table State #3 - file:/data/_delta_log", "Scan ExistingRDD Delta Table State"),
            "none");
  EXPECT_EQ(Read("Scan In-memory table orders", "Scan In-memory table orders [id#0]"), "none");
  EXPECT_EQ(Read("Scan", "Scan[obj#3]"), "none");
  EXPECT_EQ(Read("BatchScan class org.apache.spark.sql.kafka010.KafkaSource", "BatchScan[key#0]"), "none");
  EXPECT_EQ(Read("Project", "Project [a#0]"), "none");
}

TEST(DatasetsTest, APathThatSparkCutIsUnknown) {
  EXPECT_EQ(Read("Scan parquet ",
                 "FileScan parquet [id#0] Location: InMemoryFileIndex(1 paths)[file:/very/lo..., "
                 "PartitionFilters: [day#1]"),
            "none");
  EXPECT_EQ(Read("Scan parquet shop.orders",
                 "FileScan parquet shop.orders[id#0] Location: InMemoryFil..., "
                 "PartitionFilters: [day#1], PushedFilters: []"),
            " shop.orders (shop.orders, parquet)");
  EXPECT_EQ(Read("Scan csv ", "FileScan csv [a#0] Location: InMemoryFileIndex(9 paths)[s3a://a/x, s3a://b/y, ...]"),
            "s3://a x (, csv)");
}

TEST(DatasetsTest, ACommandHasWhatItWrites) {
  EXPECT_EQ(Written("Execute InsertIntoHadoopFsRelationCommand",
                    "Execute InsertIntoHadoopFsRelationCommand hdfs://nn/w/sales, false, Parquet, [path=x], Append, "
                    "`spark_catalog`.`shop`.`sales`, org.apache.spark.Index(hdfs://nn/w/sales), [id]"),
            "hdfs://nn /w/sales (spark_catalog.shop.sales, parquet)");
  EXPECT_EQ(Written("Execute InsertIntoHadoopFsRelationCommand",
                    "Execute InsertIntoHadoopFsRelationCommand file:/w/sales, [day=1], false, [day#2, hour#3], ORC, "
                    "[path=x], Overwrite, [id, day, hour]"),
            "file /w/sales (, orc)");
  EXPECT_EQ(Written("Execute InsertIntoHiveTable", "Execute InsertIntoHiveTable `shop`.`sales`, org.apache.hadoop"),
            " shop.sales (shop.sales, )");
  EXPECT_EQ(Written("AppendData", "AppendData IcebergWrite(table=lake.shop.sales, format=PARQUET)"),
            " lake.shop.sales (lake.shop.sales, )");
  EXPECT_EQ(Written("Execute SaveIntoDataSourceCommand",
                    "Execute SaveIntoDataSourceCommand org.apache.spark.sql.delta.sources.DeltaDataSource@1, Map(path "
                    "-> s3a://lake/sales, mode -> x), Append"),
            "s3://lake sales (, )");
  EXPECT_EQ(Written("Execute CreateViewCommand", "Execute CreateViewCommand `shop`.`sales`, select 1"), "none");
  EXPECT_EQ(Written("WriteFiles", "WriteFiles"), "none");
}

// Stage 3 of query 5 scans a table and writes another; stage 4 belongs to query 6, which reads the first one's cache.
class DatasetUsesTest : public testing::Test {
 protected:
  DatasetUsesTest() {
    for (const int64_t stage : {3, 4}) {
      builder_.AddStage(stage, 0, stage);
      builder_.application().stages.back().sql_execution = stage + 2;
    }
    PlanNode scan = Node(
        "Scan parquet shop.orders",
        "FileScan parquet shop.orders[id#0] Location: InMemoryFileIndex(1 paths)[file:/w/orders], Pushed: []", {3});
    scan.metrics = {{"number of output rows", "sum", 1, true, 100}, {"size of files read", "size", 2, true, 5000}};
    PlanNode write = Node("Execute InsertIntoHadoopFsRelationCommand",
                          "Execute InsertIntoHadoopFsRelationCommand file:/w/sales, false, Parquet, Append, [id]");
    write.metrics = {{"number of output rows", "sum", 3, true, 60}, {"written output", "size", 4, true, 700}};
    write.children = {scan};
    SqlExecution first;
    first.id = 5;
    first.jobs = {3};
    first.plan = write;
    SqlExecution second;
    second.id = 6;
    second.jobs = {4};
    second.plan = Node("InMemoryTableScan", "InMemoryTableScan [id#0]", {4});
    second.plan.children = {scan};
    builder_.application().sql_executions = {first, second};
  }

  ApplicationBuilder builder_;
};

TEST_F(DatasetUsesTest, AQueryThatReadsACacheDoesNotReadItsSource) {
  const std::vector<DatasetUse> uses = DatasetsOf(builder_.application());
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].dataset.name, "/w/orders");
  EXPECT_EQ(uses[0].read_by, std::set<int64_t>{5});
  EXPECT_EQ(uses[0].read_stages, std::set<int64_t>{3});
  EXPECT_EQ(uses[0].rows_read, 100);
  EXPECT_EQ(uses[0].bytes_read, 5000);
  EXPECT_EQ(uses[0].files_read, std::nullopt);
  EXPECT_TRUE(uses[0].written_by.empty());
  EXPECT_EQ(uses[1].dataset.name, "/w/sales");
  EXPECT_EQ(uses[1].written_by, std::set<int64_t>{5});
  EXPECT_EQ(uses[1].write_stages, std::set<int64_t>{3});
  EXPECT_EQ(uses[1].rows_written, 60);
  EXPECT_EQ(uses[1].bytes_written, 700);
}

TEST_F(DatasetUsesTest, ADataFrameThatRunsAgainIsReadTwiceAndCountedOnce) {
  SqlExecution again = builder_.application().sql_executions[0];
  again.id = 6;
  again.jobs = {4};
  again.plan.children[0].stages = {3, 4};
  builder_.application().sql_executions[0].plan.children[0].stages = {3, 4};
  builder_.application().sql_executions[1] = again;
  const std::vector<DatasetUse> uses = DatasetsOf(builder_.application());
  EXPECT_EQ(uses.at(0).read_by, (std::set<int64_t>{5, 6}));
  EXPECT_EQ(uses.at(0).read_stages, (std::set<int64_t>{3, 4}));
  EXPECT_EQ(uses.at(0).rows_read, 100);
}

TEST_F(DatasetUsesTest, ATableIsOneWithAndWithoutItsLocation) {
  builder_.application().sql_executions[1].plan = Node("Scan hive shop.orders", "Scan hive shop.orders [id#0]", {4});
  const std::vector<DatasetUse> uses = DatasetsOf(builder_.application());
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].dataset.table, "shop.orders");
  EXPECT_EQ(uses[0].read_by, (std::set<int64_t>{5, 6}));
}

}  // namespace
}  // namespace sparkprof
