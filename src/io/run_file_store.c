// The store under a run file: see run_file_store.h for the protocol and why it cannot leave a torn file.
//
// What always holds: no byte of the file below `committed` is changed outside apply_pages, and apply_pages runs only
// once the same bytes lie complete in the journal at the end of the file.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // locks that belong to the open file, not to the process
#endif
#include "io/run_file_store.h"

#include "base/hash.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_SIZE        4096u
#define JOURNAL_SEED     0x6d6f7261696e65u
#define COUNTER_POSITION 256 ///< of the commit counter in the user block

static const char user_block_text[] = "Moraine run file. The HDF5 data start at byte 512; see docs/run-file.md.\n";
static const char journal_mark[8] = {'M', 'R', 'N', 'J', 'R', 'N', 'L', '1'};

/// The last bytes of a complete journal, which are the last bytes of the file.
typedef struct JournalEnd {
    char mark[8];
    uint64_t start;    ///< position of the first page record
    uint64_t pages;    ///< number of records
    uint64_t end;      ///< length of the file once the commit is done
    uint64_t checksum; ///< of the records and the four numbers above
} JournalEnd;

/// A record of the journal and, in memory, a changed page.
typedef struct PageHead {
    uint64_t number; ///< position / PAGE_SIZE
    uint64_t length; ///< bytes that count: less than a page only where the committed end cuts it
} PageHead;

typedef struct Page {
    PageHead head;
    unsigned char bytes[PAGE_SIZE];
} Page;

struct MrnStore {
    char *path;
    char *shown; ///< the name in messages
    int descriptor;
    MrnStoreMode mode;
    uint64_t committed; ///< bytes of the file that must not be touched between commits
    uint64_t end;       ///< logical end: what HDF5 has asked for (its EOA)
    uint64_t written;   ///< highest byte written or present
    uint64_t counter;   ///< of commits, as read or last written
    bool has_counter;   ///< the user block is ours
    bool opened;        ///< HDF5 has opened it: `committed` is exact
    bool closed;        ///< by us; HDF5 may keep handles of a damaged file that it cannot close
    int handles;        ///< that HDF5 holds
    bool abandoned;     ///< nothing goes to the disk any more
    bool half_applied;  ///< a commit failed while it copied pages: the journal must stay
    int failure;
    MRN_ARRAY(Page *) pages;
    size_t *slots; ///< hash table: index into pages + 1, or 0
    size_t slot_count;
};

/// The handle HDF5 holds; it may open and close several over one store.
typedef struct Handle {
    H5FD_t base; ///< HDF5 wants it first
    MrnStore *store;
} Handle;

typedef struct AccessInfo {
    MrnStore *store;
} AccessInfo;

// Changed pages

static size_t slot_of(const MrnStore *store, uint64_t number) {
    size_t slot = (size_t)mrn_mix64(number) & (store->slot_count - 1);
    while (store->slots[slot] && store->pages.data[store->slots[slot] - 1]->head.number != number)
        slot = (slot + 1) & (store->slot_count - 1);
    return slot;
}

static Page *find_page(const MrnStore *store, uint64_t number) {
    if (!store->pages.count) return NULL;
    size_t slot = slot_of(store, number);
    return store->slots[slot] ? store->pages.data[store->slots[slot] - 1] : NULL;
}

static Page *add_page(MrnStore *store, uint64_t number) {
    if (2 * (store->pages.count + 1) > store->slot_count) {
        store->slot_count = store->slot_count ? 2 * store->slot_count : 256;
        free(store->slots);
        store->slots = mrn_alloc_zero(store->slot_count, sizeof *store->slots);
        for (size_t i = 0; i < store->pages.count; i++)
            store->slots[slot_of(store, store->pages.data[i]->head.number)] = i + 1;
    }
    Page *page = mrn_alloc(1, sizeof *page);
    page->head.number = number;
    size_t slot = slot_of(store, number);
    mrn_array_push(&store->pages, page);
    store->slots[slot] = store->pages.count;
    return page;
}

static void drop_pages(MrnStore *store) {
    for (size_t i = 0; i < store->pages.count; i++) free(store->pages.data[i]);
    store->pages.count = 0;
    if (store->slots) memset(store->slots, 0, store->slot_count * sizeof *store->slots);
}

static int by_number(const void *a, const void *b) {
    uint64_t x = (*(Page *const *)a)->head.number, y = (*(Page *const *)b)->head.number;
    return (x > y) - (x < y);
}

// Reading and writing whole ranges

static bool read_range(int descriptor, uint64_t position, void *data, size_t size, size_t *got) {
    *got = 0;
    while (*got < size) {
        ssize_t count = pread(descriptor, (char *)data + *got, size - *got, (off_t)(position + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        if (count == 0) break;
        *got += (size_t)count;
    }
    return true;
}

static bool write_range(MrnStore *store, uint64_t position, const void *data, size_t size) {
    while (size) {
        ssize_t count = pwrite(store->descriptor, data, size, (off_t)position);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            if (!store->failure) store->failure = count < 0 ? errno : ENOSPC;
            return false;
        }
        data = (const char *)data + count;
        position += (uint64_t)count;
        size -= (size_t)count;
    }
    return true;
}

static bool cut(MrnStore *store, uint64_t length) {
    while (ftruncate(store->descriptor, (off_t)length) != 0) {
        if (errno == EINTR) continue;
        if (!store->failure) store->failure = errno;
        return false;
    }
    return true;
}

static bool settle(MrnStore *store) {
    if (fdatasync(store->descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == EINTR) return true;
    if (!store->failure) store->failure = errno;
    return false;
}

// The commit counter

static bool read_counter(const MrnStore *store, uint64_t *counter) {
    char text[sizeof user_block_text];
    size_t got;
    if (!read_range(store->descriptor, 0, text, sizeof text, &got) || got < sizeof text) return false;
    if (memcmp(text, user_block_text, sizeof text) != 0) return false;
    return read_range(store->descriptor, COUNTER_POSITION, counter, sizeof *counter, &got) && got == sizeof *counter;
}

static bool write_counter(MrnStore *store, uint64_t counter) {
    if (!store->has_counter) return true;
    store->counter = counter;
    return write_range(store, COUNTER_POSITION, &counter, sizeof counter);
}

// The journal

static uint64_t journal_checksum(const void *records, size_t size, const JournalEnd *end) {
    uint64_t hash = mrn_hash_bytes(JOURNAL_SEED, records, size);
    return mrn_hash_bytes(hash, end, offsetof(JournalEnd, checksum));
}

/// Load a complete journal from the end of the file into the pages. False only when reading fails; *found says whether
/// there is one.
static bool load_journal(MrnStore *store, JournalEnd *end, bool *found) {
    *found = false;
    struct stat status;
    if (fstat(store->descriptor, &status) != 0) return false;
    uint64_t size = (uint64_t)status.st_size;
    store->written = size;
    if (size < sizeof *end) return true;
    size_t got;
    if (!read_range(store->descriptor, size - sizeof *end, end, sizeof *end, &got)) return false;
    uint64_t last = size - sizeof *end;
    if (got < sizeof *end || memcmp(end->mark, journal_mark, sizeof journal_mark) != 0) return true;
    if (end->start > last || end->end > end->start || (last - end->start) / sizeof(Page) != end->pages ||
        (last - end->start) % sizeof(Page) != 0)
        return true;
    size_t bytes = (size_t)(last - end->start);
    Page *records = malloc(bytes ? bytes : 1);
    if (!records) return true;
    bool fine = read_range(store->descriptor, end->start, records, bytes, &got) && got == bytes &&
                journal_checksum(records, bytes, end) == end->checksum;
    for (size_t i = 0; fine && i < end->pages; i++)
        if (records[i].head.length > PAGE_SIZE || records[i].head.number > end->start / PAGE_SIZE) fine = false;
    if (fine) {
        for (size_t i = 0; i < end->pages; i++) *add_page(store, records[i].head.number) = records[i];
        *found = true;
    }
    free(records);
    return true;
}

/// Append the changed pages and the mark that makes them a journal.
static bool write_journal(MrnStore *store, uint64_t start) {
    // One buffer, so that the mark is written last whatever the number of pages.
    size_t bytes = store->pages.count * sizeof(Page);
    char *buffer = mrn_alloc(bytes + sizeof(JournalEnd), 1);
    for (size_t i = 0; i < store->pages.count; i++) {
        Page *page = store->pages.data[i];
        memset(page->bytes + page->head.length, 0, PAGE_SIZE - page->head.length);
        memcpy(buffer + i * sizeof(Page), page, sizeof(Page));
    }
    JournalEnd end = {.start = start, .pages = store->pages.count, .end = store->end};
    memcpy(end.mark, journal_mark, sizeof journal_mark);
    end.checksum = journal_checksum(buffer, bytes, &end);
    memcpy(buffer + bytes, &end, sizeof end);
    bool fine = write_range(store, start, buffer, bytes + sizeof end);
    free(buffer);
    return fine;
}

/// Copy the changed pages to their places and cut the journal off.
static bool apply_pages(MrnStore *store, uint64_t end) {
    uint64_t counter = store->counter | 1;
    if (!write_counter(store, counter)) return false;
    if (store->pages.count) qsort(store->pages.data, store->pages.count, sizeof *store->pages.data, by_number);
    for (size_t i = 0; i < store->pages.count; i++) {
        const Page *page = store->pages.data[i];
        uint64_t position = page->head.number * PAGE_SIZE, skip = 0;
        // The counter lives in page 0 and is not part of what a commit copies.
        if (position == 0 && store->has_counter) skip = MRN_STORE_USER_BLOCK;
        if (page->head.length > skip &&
            !write_range(store, position + skip, page->bytes + skip, page->head.length - skip))
            return false;
    }
    if (!settle(store) || !write_counter(store, counter + 1) || !cut(store, end)) return false;
    drop_pages(store);
    store->committed = store->end = store->written = end;
    return true;
}

bool mrn_store_commit(MrnStore *store, hid_t file, MrnError *error) {
    bool fine = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 && !store->failure && !store->abandoned;
    if (fine) {
        uint64_t start = store->end > store->committed ? store->end : store->committed;
        fine = write_journal(store, start) && settle(store);
        // From here on the new state is the file's state, whatever happens.
        if (fine) {
            bool alone = flock(store->descriptor, LOCK_EX | LOCK_NB) == 0;
            fine = apply_pages(store, store->end);
            if (alone) flock(store->descriptor, LOCK_UN);
            store->half_applied = !fine;
        }
    }
    if (fine) return true;
    mrn_store_abandon(store);
    return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", store->shown,
                    store->failure ? strerror(store->failure) : "HDF5 failed");
}

void mrn_store_abandon(MrnStore *store) {
    store->abandoned = true;
}

bool mrn_store_has_foreign_reader(MrnStore *store) {
    if (flock(store->descriptor, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    flock(store->descriptor, LOCK_UN);
    return false;
}

bool mrn_store_changed(const MrnStore *store) {
    uint64_t counter = 0;
    return store->has_counter && (!read_counter(store, &counter) || counter != store->counter);
}

bool mrn_store_has_writer(const MrnStore *store) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return fcntl(store->descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

bool mrn_store_rename(MrnStore *store, const char *path) {
    if (rename(store->path, path) != 0) return false;
    free(store->path);
    store->path = mrn_strdup(path);
    return true;
}

const char *mrn_store_path(const MrnStore *store) {
    return store->path;
}
uint64_t mrn_store_file_size(const MrnStore *store) {
    return store->written;
}
int mrn_store_failure(const MrnStore *store) {
    return store->failure;
}

// The driver that HDF5 calls

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t max_address) {
    (void)name, (void)max_address;
    const AccessInfo *info = H5Pget_driver_info(access);
    if (!info || ((flags & H5F_ACC_RDWR) && info->store->mode == MRN_STORE_READ)) return NULL;
    if (flags & H5F_ACC_TRUNC) {
        drop_pages(info->store);
        info->store->committed = info->store->end = info->store->written = 0;
        if (!cut(info->store, 0)) return NULL;
    }
    Handle *handle = calloc(1, sizeof *handle);
    if (!handle) return NULL;
    handle->store = info->store;
    handle->store->handles++;
    return (H5FD_t *)handle;
}

static void free_store(MrnStore *store) {
    drop_pages(store);
    mrn_array_free(&store->pages);
    free(store->slots);
    free(store->path);
    free(store->shown);
    free(store);
}

static herr_t driver_close(H5FD_t *file) {
    MrnStore *store = ((Handle *)file)->store;
    store->handles--;
    if (store->closed && !store->handles) free_store(store);
    free(file);
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b) {
    uintptr_t x = (uintptr_t)((const Handle *)a)->store, y = (uintptr_t)((const Handle *)b)->store;
    return (x > y) - (x < y);
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_end(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const Handle *)file)->store->end;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((Handle *)file)->store->end = address;
    return 0;
}

static haddr_t driver_get_size(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const Handle *)file)->store->written;
}

static herr_t driver_handle(H5FD_t *file, hid_t access, void **out) {
    (void)access;
    *out = &((Handle *)file)->store->descriptor;
    return 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer) {
    (void)type, (void)transfer;
    MrnStore *store = ((Handle *)file)->store;
    size_t got;
    if (address + size < address || address + size > (haddr_t)INT64_MAX) return -1;
    if (!read_range(store->descriptor, address, buffer, size, &got)) {
        if (!store->failure) store->failure = errno;
        return -1;
    }
    memset((char *)buffer + got, 0, size - got);
    if (!store->pages.count) return 0;
    for (uint64_t number = address / PAGE_SIZE; number * PAGE_SIZE < address + size; number++) {
        const Page *page = find_page(store, number);
        if (!page) continue;
        uint64_t from = number * PAGE_SIZE, to = from + page->head.length;
        if (from < address) from = address;
        if (to > address + size) to = address + size;
        if (to > from) memcpy((char *)buffer + (from - address), page->bytes + (from - number * PAGE_SIZE), to - from);
    }
    return 0;
}

/// Keep [address, address + size) in changed pages, which count up to `limit`.
static void keep(MrnStore *store, uint64_t address, const char *data, size_t size, uint64_t limit) {
    while (size) {
        uint64_t number = address / PAGE_SIZE, within = address % PAGE_SIZE, room = limit - number * PAGE_SIZE;
        size_t part = PAGE_SIZE - within < size ? (size_t)(PAGE_SIZE - within) : size,
               length = room < PAGE_SIZE ? (size_t)room : PAGE_SIZE, got;
        Page *page = find_page(store, number);
        size_t known = page ? (size_t)page->head.length : 0;
        if (!page) page = add_page(store, number);
        if (known < length) {
            if (!read_range(store->descriptor, number * PAGE_SIZE + known, page->bytes + known, length - known, &got)) {
                if (!store->failure) store->failure = errno;
                got = 0;
            }
            memset(page->bytes + known + got, 0, PAGE_SIZE - known - got);
            page->head.length = length;
        }
        memcpy(page->bytes + within, data, part);
        address += part;
        data += part;
        size -= part;
    }
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer) {
    (void)type, (void)transfer;
    MrnStore *store = ((Handle *)file)->store;
    if (store->mode == MRN_STORE_READ || address + size < address || address + size > (haddr_t)INT64_MAX) return -1;
    if (address + size > store->written) store->written = address + size;
    size_t below = address < store->committed ? (size_t)(store->committed - address) : 0;
    if (below > size) below = size;
    if (below) keep(store, address, buffer, below, store->committed);
    const char *rest = (const char *)buffer + below;
    address += below, size -= below;
    // HDF5 does not survive a failed write: its handles can then not be closed. So after a failure it goes on in
    // memory, and the failure is found before anything is committed.
    if (size && !store->abandoned && !store->failure && write_range(store, address, rest, size)) return 0;
    if (size) keep(store, address, rest, size, UINT64_MAX);
    return 0;
}

/// HDF5 wants to cut or lengthen the file to its end: that is part of a commit.
static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
    (void)file, (void)transfer, (void)closing;
    return 0;
}

static hid_t driver_id;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static void register_driver(void) {
    static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 2)
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)555,
#endif
        .name = "moraine",
        .maxaddr = (haddr_t)INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(AccessInfo),
        .open = driver_open,
        .close = driver_close,
        .cmp = driver_compare,
        .query = driver_query,
        .get_eoa = driver_get_end,
        .set_eoa = driver_set_end,
        .get_eof = driver_get_size,
        .get_handle = driver_handle,
        .read = driver_read,
        .write = driver_write,
        .truncate = driver_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    driver_id = H5FDregister(&driver);
}

// Opening

static bool lock_for_writing(MrnStore *store, MrnError *error) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    if (fcntl(store->descriptor, F_OFD_SETLK, &lock) == 0) return true;
    if (errno == EAGAIN || errno == EACCES)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: another process is writing this run", store->shown);
    return true; // a file system without locks
}

/// Finish an interrupted commit (writing) or look through its journal (reading).
static bool recover(MrnStore *store, MrnError *error) {
    for (int attempt = 0;; attempt++) {
        JournalEnd end;
        bool found = false;
        store->has_counter = read_counter(store, &store->counter);
        drop_pages(store);
        if (!load_journal(store, &end, &found))
            return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot read: %s", store->shown, strerror(errno));
        if (store->mode == MRN_STORE_WRITE) {
            if (found && !apply_pages(store, end.end))
                return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", store->shown, strerror(store->failure));
            break;
        }
        if (found && store->written > end.start) store->written = end.start;
        if (!mrn_store_changed(store)) break;
        if (attempt == 1000)
            return mrn_fail(error, MRN_ERROR_FILE, "%s: is being written too fast to be read", store->shown);
        usleep(1000);
    }
    store->committed = store->end = store->written;
    return true;
}

MrnStore *mrn_store_open(const char *path, const char *shown, MrnStoreMode mode, MrnError *error) {
    pthread_once(&driver_once, register_driver);
    int flags = mode == MRN_STORE_READ ? O_RDONLY : mode == MRN_STORE_WRITE ? O_RDWR : O_RDWR | O_CREAT;
    // O_NONBLOCK: a named pipe must be refused, not waited for.
    int descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    const char *verb = mode == MRN_STORE_READ ? "open" : mode == MRN_STORE_WRITE ? "open for writing" : "create";
    if (descriptor < 0) {
        mrn_fail(error, MRN_ERROR_FILE, "%s: cannot %s: %s", shown, verb, strerror(errno));
        return NULL;
    }
    MrnStore *store = mrn_alloc_zero(1, sizeof *store);
    store->path = mrn_strdup(path);
    store->shown = mrn_strdup(shown);
    store->descriptor = descriptor;
    store->mode = mode;
    struct stat status;
    bool fine = false;
    if (fstat(descriptor, &status) != 0)
        mrn_fail(error, MRN_ERROR_FILE, "%s: cannot %s: %s", shown, verb, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        mrn_fail(error, MRN_ERROR_FILE, "%s: cannot %s: %s", shown, verb,
                 S_ISDIR(status.st_mode) ? "Is a directory" : "not a regular file");
    else if (mode != MRN_STORE_READ && !lock_for_writing(store, error)) {
    } else if (mode != MRN_STORE_CREATE)
        fine = recover(store, error);
    else {
        // The file may have been renamed away between opening and locking it.
        struct stat now;
        fine = stat(path, &now) == 0 && now.st_ino == status.st_ino && now.st_dev == status.st_dev;
        if (!fine) mrn_fail(error, MRN_ERROR_FILE, "%s: another process is writing this run", shown);
    }
    if (fine) return store;
    mrn_store_close(store);
    return NULL;
}

void mrn_store_close(MrnStore *store) {
    if (!store) return;
    if (store->mode != MRN_STORE_READ && store->opened && !store->half_applied) cut(store, store->committed);
    close(store->descriptor);
    store->descriptor = -1;
    store->closed = store->abandoned = true;
    if (!store->handles) free_store(store);
}

static bool write_user_block(MrnStore *store) {
    char block[MRN_STORE_USER_BLOCK] = {0};
    memcpy(block, user_block_text, sizeof user_block_text);
    store->has_counter = true;
    store->counter = 0;
    return write_range(store, 0, block, sizeof block);
}

hid_t mrn_store_hdf5(MrnStore *store) {
    AccessInfo info = {store};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5P_DEFAULT, file = H5I_INVALID_HID;
    H5Pset_driver(access, driver_id, &info);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    // Superblock 2 has no mark "open for writing" that would stop readers; everything else is the 1.10 format, all
    // checksummed.
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    if (store->mode == MRN_STORE_CREATE) {
        creation = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_userblock(creation, MRN_STORE_USER_BLOCK);
        file = H5Fcreate(store->path, H5F_ACC_TRUNC, creation, access);
        H5Pclose(creation);
        if (file >= 0 && !write_user_block(store)) store->failure = store->failure ? store->failure : EIO;
    } else {
        file = H5Fopen(store->path, store->mode == MRN_STORE_READ ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access);
    }
    H5Pclose(access);
    if (file >= 0 && store->mode != MRN_STORE_READ) H5Fset_libver_bounds(file, H5F_LIBVER_V110, H5F_LIBVER_V110);
    if (file >= 0 && store->mode == MRN_STORE_WRITE) {
        // What lies behind the end that HDF5 knows was never committed.
        if (store->end < store->committed) {
            store->committed = store->written = store->end;
            cut(store, store->committed);
        }
        for (size_t i = 0; i < store->pages.count; i++) {
            PageHead *head = &store->pages.data[i]->head;
            uint64_t room =
                store->committed > head->number * PAGE_SIZE ? store->committed - head->number * PAGE_SIZE : 0;
            if (head->length > room) head->length = room;
        }
    }
    store->opened = file >= 0;
    return file;
}
