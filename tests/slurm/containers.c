/* A SPANK plugin with pyxis's options, for clusters of one node on which nothing is unpacked.
 *
 * An image is a folder below $roots (the plugin's argument), named as the image with `/`, `:` and `#` as
 * `_`. The task gets the image's folder as /image, its mounts and its working folder in a mount
 * namespace of its own. What fails is said as pyxis says it.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(containers, 1)

static char image[4096], mounts[4096], workdir[4096], roots[1024];

static int keep(int which, const char *given, int remote)
{
    char *into[] = {image, mounts, workdir};
    (void)remote;
    if (which < 3)
        snprintf(into[which], 4096, "%s", given);
    return 0;
}

static struct spank_option options[] = {
    {"container-image", "IMAGE", "image or archive", 1, 0, keep},
    {"container-mounts", "SRC:DST[:FLAGS]", "mounts", 1, 1, keep},
    {"container-workdir", "PATH", "working folder", 1, 2, keep},
    {"container-writable", NULL, "writable", 0, 3, keep},
    {"container-readonly", NULL, "not writable", 0, 4, keep},
    {"no-container-mount-home", NULL, "without the home folder", 0, 5, keep},
    SPANK_OPTIONS_TABLE_END,
};

int slurm_spank_init(spank_t sp, int count, char **arguments)
{
    if (count > 0 && strncmp(arguments[0], "roots=", 6) == 0)
        snprintf(roots, sizeof roots, "%s", arguments[0] + 6);
    if (spank_context() == S_CTX_ALLOCATOR)
        return 0;
    for (struct spank_option *it = options; it->name; it++)
        if (spank_option_register(sp, it) != ESPANK_SUCCESS)
            return -1;
    return 0;
}

static int failed(const char *what, const char *why)
{
    slurm_error("pyxis: child %d failed with error code: 1", (int)getpid());
    slurm_error("pyxis: failed to %s: %s", what, image);
    slurm_error("pyxis: printing enroot log file:");
    slurm_error("pyxis:     [ERROR] %s", why);
    return -1;
}

static int bind_to(const char *source, const char *target, int read_only)
{
    struct stat at;
    if (stat(source, &at) != 0) {
        slurm_error("pyxis: --container-mounts: source path does not exist: %s", source);
        return -1;
    }
    mkdir(target, 0755);
    if (mount(source, target, NULL, MS_BIND | MS_REC, NULL) != 0)
        return failed("start container", "mount failed");
    if (read_only && mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
        return failed("start container", "remount failed");
    return 0;
}

static int bind_all(void)
{
    char *rest = mounts;
    for (char *one; *mounts && (one = strsep(&rest, ","));) {
        char *source = strsep(&one, ":"), *target = strsep(&one, ":");
        if (!target || bind_to(source, target, one && strcmp(one, "ro") == 0) != 0)
            return -1;
    }
    return 0;
}

int slurm_spank_task_init(spank_t sp, int count, char **arguments)
{
    char folder[8192], why[8300], *name;
    struct stat at;
    (void)count, (void)arguments;
    if (!*image)
        return 0;
    slurm_spank_log("pyxis: importing docker image: %s", image);
    if (*image == '/') {
        snprintf(why, sizeof why, "No such file or directory: %s", image);
        if (stat(image, &at) != 0)
            return failed("create container filesystem for image", why);
        snprintf(folder, sizeof folder, "%s/archive", roots);
    } else {
        snprintf(folder, sizeof folder, "%s/%s", roots, image);
        for (name = folder + strlen(roots) + 1; *name; name++)
            if (strchr("/:#", *name))
                *name = '_';
        snprintf(why, sizeof why, "URL http://registry/v2/%s returned error code: 404 Not Found", image);
        if (stat(folder, &at) != 0)
            return failed("import docker image", why);
    }
    slurm_spank_log("pyxis: imported docker image: %s", image);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) != 0)
        return failed("start container", "unshare failed");
    spank_setenv(sp, "CONTAINER_IMAGE", image, 1);
    if (bind_all() != 0)
        return -1;
    if (*workdir && chdir(workdir) != 0)
        return failed("start container", "no such working folder");
    if (*workdir)
        spank_setenv(sp, "PWD", workdir, 1);
    return 0;
}
