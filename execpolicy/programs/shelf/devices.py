"""Programs that build for devices, and write to them.

Source: the documentation of PlatformIO Core, ESP-IDF, Zephyr's west and the Arduino CLI, as it was in 2026.
"""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("pio platformio", leading="-h -f -c: --version --force --caller: --no-ansi", task="2 pkg=3 device=3 lib=3 "
        "system=3", fetches=True, worst="named run check; [device] exact list; exact boards; [run] device -t upload; "
        "[run] device --target upload; device --upload-port /dev/ttyUSB0; load -c /tmp/evil.ini; load --project-conf "
        "/tmp/evil.ini; run --project-option extra_scripts=/tmp/evil.py; elsewhere -d /tmp"),
    Program("idf.py", leading="-C: -B: -G: -w -v -p: -b: -D: --project-dir: --build-dir: --ccache --verbose --port: "
        "--baud:", task="2", fetches=True, worst="named build size size-components size-files reconfigure; device "
        "flash; device erase-flash; run -DCMAKE_C_COMPILER=./evil; elsewhere -C /tmp; write -B /etc"),
    Program("west", leading="-h -z: -v -V --zephyr-base: --verbose", task="2", fetches=True, broad="forall",
        worst="[forall] run -c ./evil; named build; [build] device -t flash; [build] device --target flash; device "
        "flash; run -DCMAKE_C_COMPILER=./evil; elsewhere -s /tmp; elsewhere -d /tmp"),
    Program("arduino-cli", leading="-v --verbose --config-file: --log --no-color --json --format:", task="2 core=3 "
        "lib=3 board=3", fetches=True, worst="named compile; [compile] device -u; [compile] device --upload; device "
        "upload; run --build-property 'recipe.hooks.prebuild.1.pattern=./evil'; load --config-file /tmp/evil; write "
        "--build-path /etc"),
    Program("openocd", far=True, broad="", worst="run -c 'shell ./evil'"),
    Program("st-util", far=True, broad="", task="2"),
    Program("st-flash", far=True, broad="", task="2", worst="device write evil.bin 0x8000000"),
    Program("esptool esptool.py", far=True, broad="", task="2", worst="device write_flash 0 evil.bin"),
    Program("espefuse.py", far=True, broad="", task="2", worst="device burn_efuse DIS_USB_JTAG"),
    Program("avrdude", far=True, broad="", task="2", worst="device -U flash:w:evil.hex"),
    Program("dfu-util", far=True, broad="", task="2", worst="device -D evil.bin"),
    Program("nrfjprog", far=True, broad="", task="2", worst="device --program evil.hex"),
    Program("JLinkExe", far=True, broad="", task="2", worst="device -CommandFile evil.jlink"),
    Program("pyocd", far=True, broad="", task="2", worst="device flash evil.hex"),
    Program("probe-rs", far=True, broad="", task="2", worst="device download evil.elf"),
    Program("picotool", far=True, broad="", task="2", worst="device load evil.uf2"),
    Program("bossac teensy_loader_cli", far=True, broad="", task="2", worst="device -w evil.hex"),
    Program("fastboot", far=True, broad="", task="2", worst="device flash boot evil.img"),
)
