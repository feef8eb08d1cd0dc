// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "catalogue/catalogue.h"

namespace sparkprof {

// Where a contract test gets its catalogue from: storage of its own that is empty at first.
class CatalogueStorage {
 public:
  virtual ~CatalogueStorage() = default;
  // The catalogue on this storage; the one returned before is closed.
  virtual Result<std::unique_ptr<Catalogue>> Open() = 0;
};

struct CatalogueKind {
  std::string name;
  // Null if what it needs is not on this machine; the tests are skipped then.
  std::function<std::unique_ptr<CatalogueStorage>()> make;
};

// The contract of every implementation of Catalogue. Instantiate it for each:
//   INSTANTIATE_TEST_SUITE_P(Duckdb, CatalogueContract, testing::Values(kind));
class CatalogueContract : public testing::TestWithParam<CatalogueKind> {
 protected:
  void SetUp() override;
  void Reopen();

  // The requests, which must succeed.
  void Put(const CatalogueEntry& entry);
  void PutRow(const ApplicationRow& row);
  void Remove(const ApplicationKey& key);
  ApplicationPage List(const ApplicationQuery& query);
  std::string Ids(const ApplicationQuery& query);         // first page: "a b c"
  std::string IdsOfPages(const ApplicationQuery& query);  // all pages: "a b | c"

  std::unique_ptr<CatalogueStorage> storage_;
  std::unique_ptr<Catalogue> catalogue_;
};

}  // namespace sparkprof
