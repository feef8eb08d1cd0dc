// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "catalogue/duckdb/duckdb_catalogue.h"
#include "catalogue/duckdb/duckdb_session.h"

namespace sparkprof {

// Adds the fix for a damaged catalogue or one of another version to `error`.
std::string UnusableText(const std::string& error);

// An open database file with the catalogue's tables and connections. Thread-safe except for Writer.
class DuckdbDatabase {
 public:
  static Result<std::unique_ptr<DuckdbDatabase>> Open(const std::string& path, const DuckdbOptions& options,
                                                      CatalogueProblem* problem);
  ~DuckdbDatabase();
  DuckdbDatabase(const DuckdbDatabase&) = delete;
  DuckdbDatabase& operator=(const DuckdbDatabase&) = delete;

  // Borrows a connection for reading; waits until one is free.
  class Reader {
   public:
    explicit Reader(DuckdbDatabase* database) : database_(database), connection_(database->TakeReader()) {}
    ~Reader() { database_->ReturnReader(std::move(connection_)); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    DuckdbConnection* operator->() { return connection_.get(); }

   private:
    DuckdbDatabase* database_;
    std::unique_ptr<DuckdbConnection> connection_;
  };

  // The connection for writing; for one thread at a time.
  DuckdbConnection* Writer() { return writer_.get(); }

 private:
  DuckdbDatabase(const DuckdbLibrary& library, std::string path) : library_(library), path_(std::move(path)) {}
  Result<void> OpenFile(const DuckdbOptions& options, CatalogueProblem* problem);
  Result<std::string> NameForDuckdb();
  Result<void> Connect(int readers);
  Result<void> PrepareTables();
  std::unique_ptr<DuckdbConnection> NewConnection();
  std::unique_ptr<DuckdbConnection> TakeReader();
  void ReturnReader(std::unique_ptr<DuckdbConnection> reader);

  const DuckdbLibrary& library_;
  std::string path_;
  FileDescriptor folder_;  // used by NameForDuckdb
  duckdb_database database_ = nullptr;
  std::unique_ptr<DuckdbConnection> writer_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<DuckdbConnection>> readers_;
};

}  // namespace sparkprof
